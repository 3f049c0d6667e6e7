/** The variation group of a parent SKU, and the rules for its members. A write replaces the group. */
import type { VariationUpload } from '../../bodies/variation.ts';
import { parseExactJson, stringifyExactJson } from '../../int64.ts';
import { accept } from '../../outcome.ts';
import { type ProblemCode, Report } from '../../problem.ts';
import type { GroupUpload, Part } from '../part.ts';
import { spliceJson } from '../stored-json.ts';
import { checkGroup, childrenOf, RELATIONSHIP, type RefusedChildren, refinementsOf } from '../variation-group.ts';
import { refuseUnknown, type SkuState, skuState, UPLOADED } from '../write-state.ts';

export const VARIATION: Part<'variation'> = Object.freeze<Part<'variation'>>({
  name: 'variation',
  code: 5,
  fileType: 'Variation',
  path: '/variation',
  source: 'offer',
  isBehindUploads: true,
  scope: 'listing',
  isInOffer: false,
  unset: ['variation_unset', 'is not the parent of a variation group'],
  serverRules: [UPLOADED, 'whether the SKUs of a group have the same brand and the refinement attributes'],
  toWrite: (skuId, { variation_refinements, group_title: title = null, children_skus }) => {
    const refinements = stringifyExactJson(refinementsOf(variation_refinements));
    return { skuId, part: 'variation', group: { refinements, title, childrenSkus: childrenOf(skuId, children_skus) } };
  },
  checkMembers: (upload, write, ignored) => {
    const { skuId, group } = write;
    return {
      skuIds: [skuId, ...group.childrenSkus],
      refinements: upload.variation_refinements,
      // The write itself checks again that all members exist and are not archived.
      settle(stored) {
        const members = new Map(stored.map((member) => [member.skuId, member]));
        const parent = members.get(skuId);
        if (parent === undefined) return { ...refuseUnknown(skuId, ignored), behindSkuState: false };
        const report = new Report();
        reportChildren(upload, skuId, (child) => skuState(members.get(child)?.archived), report);
        checkGroup(parent, members, upload, report);
        if (report.problems.length > 0) return { ok: false, problems: report.problems, ignored, behindSkuState: true };
        return { ...accept(write, ignored), problemsOf: (refused) => problemsOf(upload, skuId, refused) };
      },
    };
  },
  valueIn: ({ group }) => group,
  decode: (_amount, text) => (text === null ? null : groupIn(text)),
  written: ({ group }) => group,
  applied: (offer) => ({ ...offer, inGroup: true }),
  taggedText: ({ refinements, title, childrenSkus }) =>
    `[${refinements},${JSON.stringify(title)},${JSON.stringify(childrenSkus)}]`,
  json: (group) => spliceJson('{}', groupFields(group)),
});

/** Returns the JSON text of each field of a group. */
export function groupFields({ refinements, title, childrenSkus }: GroupUpload): Record<string, string | null> {
  return {
    relationship: JSON.stringify(RELATIONSHIP),
    variation_refinements: refinements,
    children_skus: JSON.stringify(childrenSkus),
    group_title: title === null ? null : JSON.stringify(title),
  };
}

function groupIn(text: string): GroupUpload {
  const [refinements, title, childrenSkus] = parseExactJson(text) as [unknown, string | null, string[]];
  return { refinements: stringifyExactJson(refinements), title, childrenSkus };
}

const CHILD_FAULTS: Readonly<Record<Exclude<SkuState, 'open'>, readonly [ProblemCode, string]>> = {
  unknown: ['child_unknown', 'not found'],
  archived: ['child_archived', 'is archived'],
};

function problemsOf(upload: VariationUpload, parentId: string, refused: RefusedChildren) {
  const states = new Map(refused.map(({ skuId, state }) => [skuId, state]));
  const report = new Report();
  reportChildren(upload, parentId, (child) => states.get(child) ?? 'open', report);
  return report.problems;
}

function reportChildren(
  upload: VariationUpload,
  parentId: string,
  stateOf: (skuId: string) => SkuState,
  report: Report,
): void {
  for (const [index, child] of upload.children_skus.entries()) {
    const state = child === parentId ? 'open' : stateOf(child);
    if (state === 'open') continue;
    const [code, text] = CHILD_FAULTS[state];
    report.add(code, `SKU ${child} ${text}`, 'children_skus', index);
  }
}
