/** Previews what a change to the review's rules does to offers, and asks before many of them change their status. */
import { AccountDirectory } from '../../access/account-directory.ts';
import { readSettings, type Settings } from '../../config/settings.ts';
import { LIMITS } from '../../domain/limits.ts';
import { estimateImpact } from '../../operations/review/estimate-impact.ts';
import { ChangeGate, type Impact, type Proposal } from '../../operations/review/rule-change.ts';
import { CurrentPolicies, placeholderListOf } from '../../review/current-policies.ts';
import { reviewedAgain } from '../../review/images/inspect-image.ts';
import { openStoreAlongside } from '../../store/open-store.ts';
import { CurrentTaxonomy } from '../../taxonomy/current-taxonomy.ts';
import { treeOf } from '../../taxonomy/read-stored.ts';
import { type ConfirmOptions, confirm } from '../confirm.ts';
import type { OutputOptions, Shell } from '../shell.ts';
import { counted } from '../table.ts';
import { NOTICE } from './setup-session.ts';

export interface RuleChangeOptions extends OutputOptions, ConfirmOptions {
  readonly preview?: true;
}

export const PREVIEW_OPTION = ['--preview', 'show how many offers would change their status; change nothing'] as const;

export const YES_OPTION = [
  '--yes',
  `do not ask; required without a terminal above ${LIMITS.unconfirmed_offers_max} offers`,
] as const;

/** Printed after a change to the review's rules. */
export const RULE_NOTICE = `${NOTICE} All offers are re-reviewed.`;

/** Returns a gate that throws RefusedError in the middle of a large change, unless a person confirms it. */
export function openGate(shell: Shell, options: RuleChangeOptions): ChangeGate {
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
    const policies = new CurrentPolicies(store.policies);
    await directory.refresh();
    await taxonomy.follow(directory.version);
    await policies.follow(directory.version);
    const context = {
      store,
      rules: { taxonomy, policies, imageCheck: settings.imageCheck, code: '' },
      account: (accountId: number) => directory.account(accountId),
      treeOf,
      imagesWith: (placeholders: Parameters<typeof placeholderListOf>[0]) => {
        const list = placeholderListOf(placeholders);
        return (image: Parameters<typeof reviewedAgain>[0]) => reviewedAgain(image, list);
      },
    };
    return await estimateImpact(context, proposal);
  } finally {
    await store.close();
  }
}

export function impactJson({ impact }: ChangeGate, { preview }: RuleChangeOptions) {
  return {
    ...(preview ? { preview } : {}),
    impact: impact && {
      offers: impact.offers,
      live: impact.live ?? null,
      merchants: impact.merchants,
      off_sale: impact.offSale,
      exact: impact.isExact,
    },
  };
}

/** `done` is the sentence about the completed change. */
export function impactLines({ impact }: ChangeGate, { preview }: RuleChangeOptions, done: string): string[] {
  const effect = impact === null ? [] : [impactText(impact)];
  if (preview) return ['Preview: nothing was changed.', ...effect];
  return [
    done,
    ...effect,
    `Undo: an operator can undo the change in the portal for ${LIMITS.rule_change_undo_days} days.`,
  ];
}

function impactText({ offers, merchants, offSale, isExact }: Impact): string {
  const about = isExact ? '' : 'about ';
  const changed = `Offers in test and live that change their status: ${about}${offers.toLocaleString('en-US')} (${counted(merchants, 'merchant')}).`;
  return `${changed} No longer for sale in live: ${about}${offSale.toLocaleString('en-US')}.`;
}
