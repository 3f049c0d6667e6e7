/**
 * Compiles a schema into a function that recognizes a clean body without copying it, and measures its JSON. Every other body is left to
 * compile.ts, which explains what is wrong or ignored. Both use the same checks of single values.
 *
 * A body is clean if compile.ts would return the same fields, in the order of the schema, without a problem or an ignored field.
 */
import type { Names } from '../names.ts';
import { Report } from '../problem.ts';
import { compileCheck, isObject } from './compile.ts';
import type { BodySchema } from './schema.ts';

/**
 * Returns 0 if the value is not clean, otherwise how many characters `JSON.stringify` writes if no string needs an escape; Infinity if a
 * number has too many digits for the following.
 *
 * A JSON text of the value without escapes and exponents is never shorter, because repeated fields, spaces and other spellings of numbers
 * (`5.0`, `-0`) only add characters. So a text of exactly this length is what `JSON.stringify` writes.
 */
export type Measure = (value: unknown) => number;

export function compileMeasure(schema: BodySchema, names: Names): Measure {
  if (schema.type === 'object') return measureObject(schema, names);
  if (schema.type === 'array') return measureArray(schema, names);
  const check = compileCheck(schema, names);
  return (value) => (value !== undefined && check(value, UNREAD) === value ? measureScalar(value) : 0);
}

/** Drops problems, because compile.ts will find them again. */
const UNREAD = new (class extends Report {
  override add(): undefined {}
})();

function measureObject(schema: BodySchema, names: Names): Measure {
  const fields = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    required: schema.required?.includes(name) ?? false,
    /** Two quotes, a colon, and a comma or the closing brace. */
    characters: name.length + 4,
    measure: compileMeasure(member, names),
  }));

  return (value) => {
    if (!isObject(value)) return 0;
    let characters = 1;
    let at = 0;
    for (const key in value) {
      // Comparing with the fields from the last one on takes half the time of a Map, and finds unordered fields as well.
      while (fields[at]?.name !== key) if (fields[at++]?.required ?? true) return 0;
      const field = fields[at++] as (typeof fields)[number];
      const measured = field.measure(value[key]);
      if (measured === 0) return 0;
      characters += field.characters + measured;
    }
    for (; at < fields.length; at++) if (fields[at]?.required) return 0;
    return Math.max(characters, '{}'.length);
  };
}

function measureArray(schema: BodySchema, names: Names): Measure {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const measure = compileMeasure(schema.items ?? {}, names);

  return (value) => {
    if (!Array.isArray(value) || value.length < minItems || value.length > maxItems) return 0;
    let characters = 1;
    for (let index = 0; index < value.length; index++) {
      const measured = measure(value[index]);
      if (measured === 0) return 0;
      characters += measured + 1;
    }
    return Math.max(characters, '[]'.length);
  };
}

function measureScalar(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return value.length + 2;
    case 'number':
      return measureNumber(value);
    case 'boolean':
      return value ? 'true'.length : 'false'.length;
    default:
      return Number.POSITIVE_INFINITY;
  }
}

/** Decimals of at most 15 digits are different numbers. Longer ones may be the same number, and as long. */
const DIGITS_MAX = 15;

function measureNumber(value: number): number {
  const { length } = String(value);
  return length <= DIGITS_MAX ? length : Number.POSITIVE_INFINITY;
}
