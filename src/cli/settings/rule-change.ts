/** Previews what a change to the review's rules does to offers, and asks before many of them change their status. */
import { AccountDirectory } from '../../access/account-directory.ts';
import { readSettings, type Settings } from '../../config/settings.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { estimateImpact } from '../../operations/review/estimate-impact.ts';
import { ChangeGate, type Proposal } from '../../operations/review/rule-change.ts';
import type { SetupContext } from '../../operations/setup/merchant-accounts.ts';
import { CurrentPolicies, imagesWith } from '../../review/current-policies.ts';
import { openStoreAlongside } from '../../store/open-store.ts';
import type { Impact } from '../../store/port/settings.ts';
import { CurrentTaxonomy } from '../../taxonomy/current-taxonomy.ts';
import { treeOf } from '../../taxonomy/read-stored.ts';
import { type ConfirmOptions, confirm } from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { counted } from '../table.ts';
import { changeSetup, NOTICE } from './setup-session.ts';

export interface RuleChangeOptions extends OutputOptions, ConfirmOptions {
  readonly preview?: true;
}

/** Printed after a change to the review's rules. */
export const RULE_NOTICE = `${NOTICE} All offers are re-reviewed.`;

interface RuleChange<T> {
  /** The body for the operation. */
  readonly sent: Readonly<Record<string, unknown>>;
  readonly operation: (context: SetupContext, body: SentBody, gate: ChangeGate) => Promise<Outcome<T>>;
  readonly result: (value: T) => RuleChangeResult | Promise<RuleChangeResult>;
}

interface RuleChangeResult {
  readonly json: object;
  /** The sentence about the completed change. */
  readonly done: string;
  /** Printed after the effect of the change. */
  readonly more?: readonly string[];
  readonly warnings?: readonly string[];
}

/** Runs an operation that changes the review's rules, and prints its result with the effect on offers. */
export async function changeRules<T>(shell: Shell, options: RuleChangeOptions, change: RuleChange<T>): Promise<void> {
  const gate = openGate(shell, options);
  const { value } = await changeSetup(shell, change.sent, (context, body) => change.operation(context, body, gate));
  const { json, done, more = [], warnings = [] } = await change.result(value);
  print(shell, options, {
    json: { ...json, ...impactJson(gate, options) },
    lines: [...impactLines(gate, options, done), ...more],
    warnings,
  });
}

/** Returns a gate that throws RefusedError in the middle of a large change, unless a person confirms it. */
function openGate(shell: Shell, options: RuleChangeOptions): ChangeGate {
  return new ChangeGate({
    by: 'command line',
    mode: options.preview ? 'preview' : 'confirmed',
    nowMs: Date.now,
    async estimate(proposal) {
      const impact = await estimateAlongside(readSettings(shell.variables), proposal);
      const isLarge = impact.offers > LIMITS.unconfirmed_offers_max;
      if (isLarge && !options.preview) await confirm(shell, options, impactText(impact));
      return impact;
    },
  });
}

async function estimateAlongside(settings: Settings, proposal: Proposal): Promise<Impact> {
  const store = await openStoreAlongside(settings);
  try {
    const directory = new AccountDirectory(store);
    const taxonomy = new CurrentTaxonomy(store.taxonomy);
    const policies = new CurrentPolicies(store.policies, treeOf);
    await directory.refresh();
    await taxonomy.follow(directory.version);
    await policies.follow(directory.version);
    const { imageCheck, newProductData } = settings;
    const context = {
      store,
      rules: { taxonomy, policies, imageCheck, newProductData, code: '' },
      account: (accountId: number) => directory.account(accountId),
      treeOf,
      imagesWith,
    };
    return await estimateImpact(context, proposal);
  } finally {
    await store.close();
  }
}

function impactJson({ impact }: ChangeGate, { preview }: RuleChangeOptions) {
  return {
    ...(preview ? { preview } : {}),
    impact: impact && {
      offers: impact.offers,
      live: impact.live ?? null,
      merchants: impact.merchants,
      off_sale: impact.offSale,
      exact: impact.isExact,
      ...(impact.products === undefined ? {} : { products: impact.products }),
    },
  };
}

function impactLines({ impact }: ChangeGate, { preview }: RuleChangeOptions, done: string): string[] {
  const effect = impact === null ? [] : [impactText(impact)];
  if (preview) return ['Preview: nothing was changed.', ...effect];
  return [
    done,
    ...effect,
    `Undo: an operator can undo the change in the portal for ${LIMITS.rule_change_undo_days} days.`,
  ];
}

function impactText({ offers, merchants, offSale, isExact, products }: Impact): string {
  const about = isExact ? '' : 'about ';
  if (products !== undefined) {
    return `Products in test and live that change their best offer: ${about}${products.toLocaleString('en-US')} (ranks of ${counted(offers, 'offer')} change).`;
  }
  const changed = `Offers in test and live that change their status: ${about}${offers.toLocaleString('en-US')} (${counted(merchants, 'merchant')}).`;
  return `${changed} No longer for sale in live: ${about}${offSale.toLocaleString('en-US')}.`;
}
