/** Checks the category: that there is one, that offers can be listed in it, and that the offer has its attributes. */
import type { Int64 } from '../../int64.ts';
import type { Names } from '../../names.ts';
import { lineageOf, type NamedCategory } from '../category.ts';
import type { ReviewCheck, Shown, UploadCheck } from '../check.ts';
import type { ReviewKnowledge } from '../facts.ts';
import type { Subject } from '../subject.ts';
import { type AttributeFault, attributeFaults } from './attributes.ts';
import { categoryAttributes } from './category-attributes.ts';

const LOOKING_UP = 'Looking up the category in the catalog. No action needed.';
export const NO_CATEGORY = 'The offer has no valid category yet.';

export const categoryGivenCheck: UploadCheck = {
  id: 'category',
  scope: 'upload',
  code: 'missing_category',
  effect: 'Missing category',
  state({ category }) {
    if (category === 'pending') return 'pending';
    return category === 'none' ? 'failed' : 'passed';
  },
  evidence: categoryEvidence,
  remedy: (_subject, names) =>
    `Choose a category (${names.field('marketplace_browse_node_id')}): the catalog has none for this product.`,
  waiting: LOOKING_UP,
};

export const categoryValidCheck: UploadCheck = {
  id: 'category_node',
  scope: 'upload',
  code: 'invalid_category',
  effect: 'Invalid category',
  state({ category }) {
    if (category === 'pending') return 'pending';
    if (category === 'none') return 'skipped';
    return category.isValid ? 'passed' : 'failed';
  },
  evidence: categoryEvidence,
  next: ({ category }) => (typeof category === 'object' && category.source === 'catalog' ? 'marketplace' : 'merchant'),
  remedy(subject, names) {
    const { category, document } = subject;
    const field = names.field('marketplace_browse_node_id');
    if (typeof category !== 'object') return '';
    const what = `The category ${nodeText(category)} ${invalidity(subject)}.`;
    if (category.source === 'catalog') {
      return `${what} The marketplace must correct its catalog, or choose your own category (${field}).`;
    }
    const own = document.product_type_id === undefined ? field : 'product_type_id';
    return `${what} Choose ${category.node?.isLeaf === false ? 'a more specific' : 'another'} category (${own}).`;
  },
  waiting: LOOKING_UP,
  reason: () => 'The offer has no category.',
};

function nodeText({ id, node }: NamedCategory): string {
  return node === undefined ? String(id) : `"${node.name}" (${id})`;
}

function invalidity({ category }: Subject): string {
  const node = typeof category === 'object' ? category.node : undefined;
  if (node === undefined) return 'is not in the taxonomy';
  return node.isLeaf ? 'is no longer in use' : 'is too broad';
}

function categoryEvidence({ category, document, knowledge }: Subject, names: Names): Shown {
  if (typeof category !== 'object') return { category: null };
  const { id, source, node } = category;
  const field = document.product_type_id === undefined ? names.field('marketplace_browse_node_id') : 'product_type_id';
  const path = lineageOf(node, knowledge.taxonomy).map(({ name }) => name);
  return { category: id, source: source === 'offer' ? field : 'catalog', path: path.reverse() };
}

export const attributesCheck: ReviewCheck = {
  id: 'attributes',
  scope: 'review',
  code: 'missing_attribute_value',
  effect: 'Missing attribute value',
  state(subject) {
    const category = subject.usableCategory;
    if (category === 'pending') return 'pending';
    if (category === 'unusable') return 'skipped';
    return faultsOf(subject, category.id).length === 0 ? 'passed' : 'failed';
  },
  evidence(subject) {
    const category = subject.usableCategory;
    if (typeof category !== 'object') return { category: null };
    const attributes = categoryAttributes(subject.knowledge.taxonomy, category.id);
    const required = attributes.filter((attribute) => attribute.required).map(({ attribute }) => attribute);
    return {
      category: category.id,
      required: required.map(({ id, description }) => ({ attribute_id: id, attribute_description: description })),
      faults: faultsOf(subject, category.id).map(shownFault),
    };
  },
  remedy(subject) {
    const category = subject.usableCategory;
    const faults = typeof category === 'object' ? faultsOf(subject, category.id) : [];
    return `Fix these attributes: ${faults.map(faultText).join('; ')}.`;
  },
  waiting: LOOKING_UP,
  reason: () => NO_CATEGORY,
};

function faultsOf({ document, knowledge }: Subject<ReviewKnowledge>, id: Int64): readonly AttributeFault[] {
  return attributeFaults(document.attributes_node_specific, categoryAttributes(knowledge.taxonomy, id));
}

function shownFault({ kind, attribute, sent }: AttributeFault): Shown {
  const { id, description } = attribute;
  return { fault: kind, attribute_id: id, attribute_description: description, ...sent };
}

/** A list can have 1,000 values, too many for a sentence. */
const SHOWN_VALUES_MAX = 10;

function faultText({ kind, attribute, sent }: AttributeFault): string {
  const { id, description, values, units, min, max, dataType } = attribute;
  const name = `${description} (${id})`;
  const texts: Record<AttributeFault['kind'], () => string> = {
    absent: () => `${name} is required`,
    not_a_number: () => `${name} must be ${dataType === 'integer' ? 'a whole number' : 'a number'}`,
    out_of_range: () => `${name} must be ${rangeText(min, max)}`,
    value_not_allowed: () => `${name} must be ${listText(values)}, not ${sent?.attribute_value}`,
    unit_missing: () => `${name} needs a unit: ${listText(units)}`,
    unit_not_allowed: () => `${name} must have the unit ${listText(units)}, not ${sent?.attribute_value_unit}`,
  };
  return texts[kind]();
}

function rangeText(min: number | null, max: number | null): string {
  if (min === null) return `at most ${max}`;
  return max === null ? `at least ${min}` : `from ${min} to ${max}`;
}

function listText(allowed: readonly string[]): string {
  if (allowed.length > SHOWN_VALUES_MAX) return `one of the ${allowed.length} values in the taxonomy`;
  const last = allowed.at(-1) ?? '';
  return allowed.length < 2 ? last : `${allowed.slice(0, -1).join(', ')} or ${last}`;
}
