/**
 * Derives fixes for the failed checks of an offer. Fixes are computed when they are read, never stored, and never applied by themselves
 * (docs/decisions/0082).
 */
import type { CheckResult } from './check.ts';
import { packCount } from './checks/pack-count.ts';
import type { ReviewKnowledge } from './facts.ts';
import { attributeFixes } from './fixes/attribute-fixes.ts';
import { categoryFixes } from './fixes/category-fixes.ts';
import { brandFixes, codeFixes, groupBrandFixes, productFixes, titleFixes } from './fixes/code-fixes.ts';
import { type FixClues, type FixFinder, type FoundFix, type PatchStep, replaced } from './fixes/fix.ts';
import type { Subject } from './subject.ts';

const packFixes: FixFinder = ({ document }) => {
  const count = packCount(document.product_title);
  if (count === undefined) return [];
  const text = `Set the multipack quantity to ${count}, as in the title.`;
  return [{ confidence: 'certain', source: 'title', patch: replaced('/multipack_quantity', count), text }];
};

/** The kinds of fixes, with the check that each resolves. Kinds are never renamed. */
const FIX_RULES = Object.freeze({
  title: { check: 'title', find: titleFixes },
  brand: { check: 'brand', find: brandFixes },
  product_code: { check: 'product_codes', find: codeFixes },
  product: { check: 'catalog', find: productFixes },
  missing_category: { check: 'category', find: categoryFixes },
  invalid_category: { check: 'category_node', find: categoryFixes },
  attribute: { check: 'attributes', find: attributeFixes },
  multipack_quantity: { check: 'multipack_quantity', find: packFixes },
  group_brand: { check: 'variation_group', find: groupBrandFixes },
} as const) satisfies Readonly<Record<string, { readonly check: string; readonly find: FixFinder }>>;

export type FixKind = keyof typeof FIX_RULES;
export const FIX_KINDS = Object.freeze(Object.keys(FIX_RULES) as FixKind[]);

export interface Fix extends FoundFix {
  readonly kind: FixKind;
  readonly check: string;
}

/** Returns the fixes for the failed checks, in the order of the table. */
export function fixesFor(
  subject: Subject<ReviewKnowledge>,
  checks: readonly Pick<CheckResult, 'check' | 'state'>[],
  clues: FixClues,
): readonly Fix[] {
  const failed = new Set(checks.filter(({ state }) => state === 'failed').map(({ check }) => check));
  if (failed.has('archive')) return [];
  return FIX_KINDS.flatMap((kind) => {
    const { check, find } = FIX_RULES[kind];
    return failed.has(check) ? find(subject, clues).map((fix) => ({ kind, check, ...fix })) : [];
  });
}

/** The checks whose fixes may come from the variation group. */
const GROUP_CHECKS = new Set(['brand', 'category', 'category_node', 'attributes', 'variation_group']);

export function readsGroup(checks: readonly Pick<CheckResult, 'check' | 'state'>[]): boolean {
  return checks.some(({ check, state }) => state === 'failed' && GROUP_CHECKS.has(check));
}

/** Whether a rule may guess a category. */
export function guessesCategory(checks: readonly Pick<CheckResult, 'check' | 'state'>[]): boolean {
  return checks.some(({ check, state }) => state === 'failed' && (check === 'category' || check === 'category_node'));
}

/** Whether one patch replaces a list and the other one an entry of it. Patches that add to a list fit together. */
export function areOpposed(one: readonly PatchStep[], other: readonly PatchStep[]): boolean {
  const isInside = (inner: PatchStep, outer: PatchStep) =>
    outer.op !== 'add' && inner.path.startsWith(`${outer.path}/`);
  return one.some((first) => other.some((second) => isInside(first, second) || isInside(second, first)));
}

/** Returns the value that the last step of the patch changes; null if it is not set. */
export function valueBefore(document: object, patch: readonly PatchStep[]): unknown {
  const steps = patch.at(-1)?.path.split('/').slice(1) ?? [];
  const value = steps.reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], document);
  return value ?? null;
}

/** Applies the patches of several fixes of one offer to its document. No two of them change the same member. */
export function patched(document: object, patches: readonly (readonly PatchStep[])[]): object {
  const result = structuredClone(document) as Record<string, unknown>;
  for (const step of patches.flat()) {
    const [, field = '', index] = step.path.split('/');
    if (index === undefined) {
      // Every fix that adds the first attribute adds the list too.
      const isListAgain = step.op === 'add' && Array.isArray(step.value) && Array.isArray(result[field]);
      if (step.op === 'remove') delete result[field];
      else if (!isListAgain) result[field] = structuredClone(step.value);
      continue;
    }
    const list = result[field] as unknown[];
    if (step.op === 'remove')
      throw new Error('A fix removes whole fields only, because indexes of other fixes would change.');
    if (index === '-') list.push(step.value);
    else list[Number(index)] = step.value;
  }
  return result;
}
