/** Finds fixes for attributes: units, numbers, and values of closed lists, from the value itself, the title, the bullets and the variation group. */
import type { AttributeEntry } from '../../taxonomy/entries.ts';
import type { NodeAttribute } from '../../taxonomy/tree.ts';
import { type AttributeFault, attributeFaults, foldText, type UploadedAttribute } from '../checks/attributes.ts';
import { categoryAttributes } from '../checks/category-attributes.ts';
import type { ReviewedDocument } from '../facts.ts';
import { type FixClues, type FixFinder, type FoundFix, type PatchStep, replaced } from './fix.ts';
import { groupAttribute } from './group-fixes.ts';
import { isOneEditAway } from './near-text.ts';
import { numbersIn, unitNamed } from './units.ts';

const ATTRIBUTES = '/attributes_node_specific';
/** Shorter values, such as sizes, also occur in titles as parts of other words and numbers. */
const SAID_CHARACTERS_MIN = 3;
/** A shorter value with a typing mistake may be another value: XL and 2XL. */
const TYPO_CHARACTERS_MIN = 4;

export const attributeFixes: FixFinder = ({ document, knowledge, usableCategory: category }, clues) => {
  if (typeof category !== 'object') return [];
  const attributes = categoryAttributes(knowledge.taxonomy, category.id);
  const faults = attributeFaults(document.attributes_node_specific, attributes);
  const seen = new Set<UploadedAttribute>();
  return faults.flatMap((fault) => {
    // A value such as "5 qt" has two faults, and one fix for both.
    if (fault.sent === null) return absentFix(fault, document, attributes, clues) ?? [];
    if (seen.has(fault.sent)) return [];
    seen.add(fault.sent);
    return sentFix(fault, fault.sent, document, clues) ?? [];
  });
};

interface Found {
  readonly confidence: FoundFix['confidence'];
  readonly source: FoundFix['source'];
  readonly value: string;
  readonly unit?: string | undefined;
}

function sentFix(
  { attribute, kind }: AttributeFault,
  sent: UploadedAttribute,
  document: ReviewedDocument,
  clues: FixClues,
): FoundFix | undefined {
  const ofGroup = groupValue(attribute, clues);
  // A valid value without its unit stays, so only the unit can come from the group.
  const isUnitWrong = kind === 'unit_missing' || kind === 'unit_not_allowed';
  const isOther = isUnitWrong && foldText(ofGroup?.value ?? '') !== foldText(sent.attribute_value);
  const found =
    (attribute.values.length > 0 ? listedValue(attribute, sent) : numberAndUnit(attribute, sent, document)) ??
    (isOther ? undefined : ofGroup);
  if (found === undefined) return undefined;
  const right = uploadedOf(attribute, found);
  // The fix must leave nothing wrong: otherwise, one half of it would be a guess.
  if (attributeFaults([right], [{ attribute, required: true }]).length > 0) return undefined;
  const index = document.attributes_node_specific?.indexOf(sent) ?? -1;
  return fixOf(attribute, found, replaced(`${ATTRIBUTES}/${index}`, right));
}

function groupValue({ id }: AttributeEntry, clues: FixClues): Found | undefined {
  const { attribute_value: value, attribute_value_unit: unit } = groupAttribute(clues, id) ?? {};
  return value === undefined ? undefined : { confidence: 'likely', source: 'variation_group', value, unit };
}

function uploadedOf({ id }: AttributeEntry, { value, unit }: Found): UploadedAttribute {
  return { attribute_id: id, attribute_value: value, ...(unit === undefined ? {} : { attribute_value_unit: unit }) };
}

function fixOf({ description }: AttributeEntry, found: Found, patch: readonly PatchStep[]): FoundFix {
  const { confidence, source, value, unit } = found;
  const text = `Set ${description} to ${value}${unit === undefined ? '' : ` ${unit}`}.`;
  return { confidence, source, patch, text };
}

/** Without punctuation, spacing, and a plural. */
function plainKey(text: string): string {
  return foldText(text)
    .replace(/\(.*\)/g, '')
    .replace(/[^\p{L}\p{N}/]+/gu, '')
    .replace(/(?<=\p{L}{3})S$/u, '');
}

function listedValue(
  { values, units }: AttributeEntry,
  { attribute_value: sent, attribute_value_unit: unit }: UploadedAttribute,
): Found | undefined {
  if (units.length > 0) return undefined;
  const key = plainKey(sent);
  const same = values.filter((value) => plainKey(value) === key);
  const rest = { source: 'category_rule', unit } as const;
  if (same[0] !== undefined && same.length === 1) return { ...rest, confidence: 'certain', value: same[0] };
  const near = values.filter(
    (value) =>
      value.length >= TYPO_CHARACTERS_MIN && isOneEditAway(plainKey(value), key) && digitsOf(value) === digitsOf(sent),
  );
  return near[0] !== undefined && near.length === 1 ? { ...rest, confidence: 'likely', value: near[0] } : undefined;
}

const digitsOf = (text: string) => text.replace(/\D+/g, '');

const COMMA_DECIMAL = /^([+-]?\d+),(\d{1,2}|\d{4,})$/;

function numberAndUnit(
  attribute: AttributeEntry,
  sent: UploadedAttribute,
  document: ReviewedDocument,
): Found | undefined {
  const { units } = attribute;
  const written = sent.attribute_value.trim();
  // A comma before three digits may separate thousands.
  const text = written.replace(COMMA_DECIMAL, '$1.$2');
  const [number, ...others] = numbersIn(text);
  if (number === undefined || others.length > 0 || !text.startsWith(number.value)) return undefined;
  if (attribute.dataType === 'text' && number.rest !== '') return undefined;
  const { value } = number;
  const certain = { confidence: 'certain', value } as const;
  if (units.length === 0) return number.rest === '' ? { ...certain, source: 'arithmetic' } : undefined;
  const inValue = unitNamed(number.rest, units);
  const inUnit = unitNamed(sent.attribute_value_unit ?? '', units);
  if (number.rest !== '' && inValue === undefined) return undefined;
  if (inUnit !== undefined && (inValue === undefined || inValue === inUnit)) {
    return { ...certain, source: text === written ? 'category_rule' : 'arithmetic', unit: inUnit };
  }
  if (sent.attribute_value_unit !== undefined && sent.attribute_value_unit.trim() !== '') return undefined;
  if (inValue !== undefined) return { ...certain, source: 'category_rule', unit: inValue };
  if (units.length === 1) return { ...certain, source: 'category_rule', unit: units[0] };
  const said = new Set(
    textsOf(document).flatMap((each) =>
      numbersIn(each)
        .filter((it) => Number(it.value) === Number(value))
        .flatMap((it) => unitNamed(it.rest, units) ?? []),
    ),
  );
  const [unit] = said;
  return said.size === 1 ? { ...certain, source: 'title', unit } : undefined;
}

/** A required attribute that is only in the title, the bullets or the other offers of the group. */
function absentFix(
  { attribute }: AttributeFault,
  document: ReviewedDocument,
  attributes: readonly NodeAttribute[],
  clues: FixClues,
): FoundFix | undefined {
  const sent = document.attributes_node_specific ?? [];
  // What the offer says of another attribute is not said of this one.
  const isTaken = (value: string, unit?: string) =>
    sent.some(
      (other) =>
        foldText(other.attribute_value) === foldText(value) &&
        (unit === undefined || other.attribute_value_unit === unit),
    );
  const [title, ...bullets] = textsOf(document);
  const saidIn = (texts: readonly string[]) => {
    const said =
      attribute.values.length > 0 ? listedValuesIn(texts, attribute) : measuresIn(texts, attribute, attributes);
    const free = said.filter(({ value, unit }) => !isTaken(value, unit));
    return [...new Map(free.map((each) => [`${each.value} ${each.unit}`, each])).values()];
  };
  for (const values of [saidIn([title ?? '']), saidIn(bullets), [groupValue(attribute, clues)]]) {
    const [found, ...others] = values;
    if (found === undefined) continue;
    if (others.length > 0) return undefined;
    const right = uploadedOf(attribute, found);
    if (attributeFaults([right], [{ attribute, required: true }]).length > 0) return undefined;
    const start: readonly PatchStep[] = document.attributes_node_specific
      ? []
      : [{ op: 'add', path: ATTRIBUTES, value: [] }];
    return fixOf(attribute, found, [...start, { op: 'add', path: `${ATTRIBUTES}/-`, value: right }]);
  }
  return undefined;
}

function textsOf({ product_title, bullets = [] }: ReviewedDocument): readonly string[] {
  return [product_title, ...bullets];
}

/** The longest values win: "Twin XL" is not "Twin". A short value must stand alone between commas or dashes, as in "Helmet, XS, Red". */
function listedValuesIn(texts: readonly string[], { values, units }: AttributeEntry): readonly Found[] {
  if (units.length > 0) return [];
  const phrases = texts.flatMap(phrasesOf);
  const said = values.filter((value) => {
    const key = spacedKey(value);
    return phrases.some((phrase) =>
      value.length < SAID_CHARACTERS_MIN ? SHORT.exec(phrase)?.[1] === key.trim() : phrase.includes(key),
    );
  });
  const longest = said.filter(
    (value) => !said.some((other) => other !== value && spacedKey(other).includes(spacedKey(value))),
  );
  return longest.map((value) => ({ confidence: 'likely', source: 'title', value }));
}

const SHORT = /^ (?:SIZE )?(\S+) $/;

const phrasesOf = (text: string) => text.split(/[,|;()]| [-–] /).map(spacedKey);

/** Words between single spaces. */
const spacedKey = (text: string) =>
  ` ${foldText(text)
    .replace(/[^\p{L}\p{N}/.-]+/gu, ' ')
    .trim()} `;

const COUNT = /^ (\d+(?:\.\d+)?)((?: \p{L}+)?) $/u;

/** Numbers with a unit that no other required attribute has. A number without a unit must stand alone, or before what it counts: "500 pieces". */
function measuresIn(
  texts: readonly string[],
  { units, dataType, id, description }: AttributeEntry,
  attributes: readonly NodeAttribute[],
): readonly Found[] {
  if (dataType === 'text') return [];
  if (units.length === 0) {
    const phrases = texts.flatMap(phrasesOf);
    return phrases.flatMap((phrase) => {
      const [, value, counted = ''] = COUNT.exec(phrase) ?? [];
      return value === undefined || !spacedKey(description).includes(counted)
        ? []
        : { confidence: 'likely', source: 'title', value };
    });
  }
  const isShared = (unit: string) =>
    attributes.some(({ attribute, required }) => required && attribute.id !== id && attribute.units.includes(unit));
  return texts.flatMap(numbersIn).flatMap(({ value, rest }) => {
    const unit = unitNamed(rest, units);
    return unit === undefined || isShared(unit) ? [] : { confidence: 'likely', source: 'title', value, unit };
  });
}
