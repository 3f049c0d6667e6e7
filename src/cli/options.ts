/** Options that several commands share, parsers of their values, and the confirmation of destructive commands. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { ENVIRONMENTS, type Environment } from '../domain/account.ts';
import { LIMITS } from '../domain/limits.ts';
import { refusal } from './failure.ts';
import type { OutputOptions, Shell } from './shell.ts';

/** Options of a command that reads or changes one merchant in one environment or both. */
export interface AccountOptions extends OutputOptions {
  readonly merchant: string;
  readonly env: Environment | 'both';
}

export function environmentsOf({ env }: Pick<AccountOptions, 'env'>): readonly Environment[] {
  return env === 'both' ? ENVIRONMENTS : [env];
}

export function accountsOf({ merchant, env }: AccountOptions) {
  return { merchantId: merchant, environments: environmentsOf({ env }) };
}

export function merchantOption(): Option {
  return new Option('--merchant <id>', 'id of the merchant').makeOptionMandatory();
}

export function environmentsOption(): Option {
  return new Option('--env <environment>', 'environment').choices([...ENVIRONMENTS, 'both']).default('both');
}

/** A command of `offerbook`. Its subcommands are of this class too. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Adds --merchant and --env, which `accountsOf` reads. */
  accountOptions(): this {
    return this.addOption(merchantOption()).addOption(environmentsOption());
  }

  /** Adds --preview and --yes to a command that changes the review's rules. */
  ruleChangeOptions(): this {
    return this.option('--preview', 'show how many offers would be affected; change nothing').option(
      '--yes',
      `do not ask for confirmation; required without a terminal if more than ${LIMITS.unconfirmed_offers_max} offers change`,
    );
  }

  /** Adds lines to the help, after the options. */
  notes(...lines: readonly string[]): this {
    return this.addHelpText('after', ['', ...lines].join('\n'));
  }

  /** Adds --json and --config, and examples at the end of the help. Call it after all other options. */
  examples(...examples: readonly string[]): this {
    const lines = examples.map((example) => `  $ offerbook ${example}`);
    return (
      this.option('--json', 'print the result as JSON, and errors as JSON on standard error')
        // --config is removed from the arguments before they are parsed. It is listed here only for the help.
        .option(...CONFIG_OPTION)
        .notes(examples.length === 1 ? 'Example:' : 'Examples:', ...lines)
    );
  }
}

export const CONFIG_OPTION = [
  '--config <file>',
  'configuration file (default: OFFERBOOK_CONFIG, or ./offerbook.env if it exists)',
] as const;

/** Collects the values of an option that may be repeated. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** Without bounds, the operation that gets the number checks them. */
export function wholeNumber(bounds?: { readonly from: number; readonly to: number }): (text: string) => number {
  return (text) => {
    const number = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    const { from, to } = bounds ?? { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
    if (number >= from && number <= to) return number;
    throw new InvalidArgumentError(`It must be a whole number${bounds === undefined ? '' : ` from ${from} to ${to}`}.`);
  };
}

const SECONDS_OF_UNIT: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

export function durationSeconds(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unit_seconds = SECONDS_OF_UNIT[unit];
  if (unit_seconds === undefined) throw new InvalidArgumentError('It must be a time like 90s, 30m, 2h or 1d.');
  return Number(count) * unit_seconds;
}

export interface ConfirmOptions {
  readonly yes?: true;
}

export const YES_OPTION = ['--yes', 'do not ask for confirmation; required without a terminal'] as const;

/** Throws RefusedError unless the command has `--yes` or the person types `word`. */
export async function confirm(shell: Shell, options: ConfirmOptions, what: string, word = 'yes'): Promise<void> {
  if (options.yes) return;
  if (shell.ask === undefined) throw refusal('not_confirmed', `${what} Add --yes to confirm.`);
  const answer = await shell.ask(`${what}\nType ${word} to continue: `);
  if (answer.trim() !== word) throw refusal('not_confirmed', 'Nothing was changed.');
}
