/** Reads one line of a taxonomy file in Offerbook's own format, and reports everything wrong with it. */
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { readBodyText, unreadableLine } from '../body-text.ts';
import { isObject } from '../check/compile.ts';
import { Whole } from '../check/schema.ts';
import { type Static, type TSchema, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import { Names, NEUTRAL_NAMES } from '../names.ts';
import { AttributeBody, attributeEntry, type LineFault, NodeBody, nodeEntry, type TaxonomyEntry } from './entries.ts';
import { nameFault } from './node-name.ts';

const FORMAT_VERSION = 1;

/** The key that identifies the first line. */
const HEADER_KEY = 'offerbook_taxonomy';

const NAMES = new Names(NEUTRAL_NAMES);
const check = <S extends TSchema>(schema: S): BodyCheck<Static<S>> => createBodyCheck(schema, NAMES);

const CHECKS = Object.freeze({
  header: check(Type.Object({ [HEADER_KEY]: Whole(1, LIMITS.count_max) })),
  attribute: check(AttributeBody),
  node: check(NodeBody),
});

export type ReadLine = { readonly entry: TaxonomyEntry } | { readonly faults: readonly LineFault[] };

/** Checks the first line: returns no faults when it is valid. */
export function headerFaults(text: string): readonly LineFault[] {
  const read = readObject(text, 1);
  if ('faults' in read) return read.faults;
  const checked = checkedLine(CHECKS.header, read.fields, 1);
  if ('faults' in checked) return checked.faults;
  const version = checked.value[HEADER_KEY] ?? 0;
  if (version <= FORMAT_VERSION) return [];
  const fault = `the file has format version ${version}, but this release supports only version ${FORMAT_VERSION}`;
  return [{ code: 'taxonomy_newer', line: 1, text: fault }];
}

export function readJsonLine(text: string, line: number): ReadLine {
  const read = readObject(text, line);
  if ('faults' in read) return read;
  if ('attribute' in read.fields) {
    const checked = checkedLine(CHECKS.attribute, read.fields, line);
    return 'faults' in checked ? checked : { entry: attributeEntry(checked.value) };
  }
  if ('node' in read.fields) {
    const checked = checkedLine(CHECKS.node, read.fields, line);
    const fault = typeof read.fields.name === 'string' ? nameFault(read.fields.name) : undefined;
    if (fault === undefined) return 'faults' in checked ? checked : { entry: nodeEntry(checked.value) };
    const named: LineFault = { code: 'taxonomy_field', line, text: `name: ${fault}` };
    return { faults: 'faults' in checked ? [...checked.faults, named] : [named] };
  }
  return { faults: [{ code: 'taxonomy_unreadable', line, text: 'must have "node" or "attribute"' }] };
}

type Fields = Readonly<Record<string, unknown>>;

function readObject(text: string, line: number): { fields: Fields } | { faults: readonly LineFault[] } {
  const unreadable = (said: string): { faults: readonly LineFault[] } => ({
    faults: [{ code: 'taxonomy_unreadable', line, text: said }],
  });
  const body = readBodyText(text);
  if ('unreadable' in body) return unreadable(unreadableLine(body.unreadable));
  if (body.problems.length > 0) {
    return { faults: body.problems.map(({ message }) => ({ code: 'taxonomy_field', line, text: message })) };
  }
  return isObject(body.value) ? { fields: body.value } : unreadable('must be a JSON object');
}

/** Unknown fields are refused, because they may be misspelled. */
function checkedLine<T>(
  bodyCheck: BodyCheck<T>,
  fields: Fields,
  line: number,
): { value: T } | { faults: readonly LineFault[] } {
  const outcome = bodyCheck({ value: fields, problems: [] });
  const unknown = outcome.ignored.map((pointer) => `${pointer.slice(1)}: unknown field`);
  const broken = outcome.ok ? [] : outcome.problems.map(({ message }) => message);
  if (outcome.ok && unknown.length === 0) return { value: outcome.value };
  return { faults: [...broken, ...unknown].map((text) => ({ code: 'taxonomy_field', line, text })) };
}
