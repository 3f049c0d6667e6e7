/** Options that several commands share, and parsers of their values. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENVIRONMENTS, type Environment } from '../domain/account.ts';

export type EnvironmentChoice = Environment | 'both';

export function environmentsOf(choice: EnvironmentChoice): readonly Environment[] {
  return choice === 'both' ? ENVIRONMENTS : [choice];
}

export function merchantOption(): Option {
  return new Option('--merchant <id>', 'id of the merchant').makeOptionMandatory();
}

export function environmentsOption(): Option {
  return new Option('--env <environment>', 'environment').choices([...ENVIRONMENTS, 'both']).default('both');
}

/** Adds --json and --config, and examples at the end of the help. */
export function finish(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ offerbook ${example}`);
  return (
    command
      .option('--json', 'print the result as JSON, and errors as JSON on standard error')
      // --config is removed from the arguments before they are parsed. It is listed here only for the help.
      .option('--config <file>', 'configuration file (default: OFFERBOOK_CONFIG, or ./offerbook.env if it exists)')
      .addHelpText('after', ['', examples.length === 1 ? 'Example:' : 'Examples:', ...lines].join('\n'))
  );
}

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
