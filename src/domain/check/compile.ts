/**
 * Compiles a schema into a function that walks a body once, returns its clean copy (known fields only, neutral names,
 * no nulls) and reports every problem and every ignored field.
 *
 * No validator library does all of this: null counts as absent, lists that are too long are not checked entry by entry,
 * int64 values are bigints, ignored fields are named, and a field may have two names. See docs/decisions.
 */
import { isPositiveInt64 } from '../int64.ts';
import type { Names } from '../names.ts';
import type { Report } from '../problem.ts';
import { hasAtLeast, hasAtMost, isHttpUrl } from '../text/text-rules.ts';
import { misspelling } from './near-names.ts';
import type { BodySchema } from './schema.ts';

/** Returns the clean value, or undefined after reporting at least one problem. */
export type Check = (value: unknown, report: Report) => unknown;

export function compileCheck(schema: BodySchema, names: Names): Check {
  if (schema.enum !== undefined) return compileEnum(schema.enum, schema['x-carrier-names'] === true, names);
  switch (schema.type) {
    case 'object':
      return compileObject(schema, names);
    case 'array':
      return compileArray(schema, names);
    case 'string':
      return compileString(schema);
    case 'integer':
      return schema.format === 'int64' ? checkId : compileNumber(schema, Number.isInteger, 'an integer');
    case 'number':
      return compileNumber(schema, isNumber, 'a number');
    case 'boolean':
      return checkBoolean;
    default:
      return compileScalar(schema);
  }
}

interface Property {
  readonly name: string;
  readonly spelling: string;
  readonly required: boolean;
  readonly check: Check;
}

function compileObject(schema: BodySchema, names: Names): Check {
  const properties: Property[] = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    spelling: names.field(name),
    required: schema.required?.includes(name) ?? false,
    check: compileCheck(member, names),
  }));
  const indexes = new Map(
    properties.flatMap(({ name, spelling }, index) => [
      [name, index],
      [spelling, index],
    ]),
  );

  return (value, report) => {
    if (!isObject(value)) return report.add('wrong_type', `must be an object, ${notKind(value)}`);
    // Iterates over the fields sent, not over all known ones: V8 finds an existing property many times faster.
    const sent: unknown[] = new Array(properties.length);
    let twice: Set<number> | undefined;
    let unknown: string[] | undefined;
    for (const key in value) {
      const index = indexes.get(key);
      if (index === undefined) {
        unknown ??= [];
        unknown.push(key);
        continue;
      }
      const member = value[key];
      if (!isPresent(member)) continue;
      if (sent[index] !== undefined) {
        twice ??= new Set();
        twice.add(index);
      }
      sent[index] = member;
    }
    const clean: Record<string, unknown> = {};
    for (let index = 0; index < properties.length; index++) {
      const { name, spelling, required, check } = properties[index] as Property;
      const member = sent[index];
      if (member === undefined) {
        if (required) report.add('required', `is required${misspelling(spelling, unknown)}`, spelling);
        continue;
      }
      if (twice?.has(index)) {
        report.add('duplicate_spelling', `must not be sent together with ${name}, its other name`, spelling);
        continue;
      }
      report.enter(spelling);
      const checked = check(member, report);
      report.leave();
      if (checked !== undefined) clean[name] = checked;
    }
    if (unknown !== undefined) for (const key of unknown) report.ignore(key);
    return clean;
  };
}

function compileArray(schema: BodySchema, names: Names): Check {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const range = rangeText(schema.minItems, schema.maxItems);
  const rule = `must have ${range} ${schema.maxItems === 1 ? 'entry' : 'entries'}`;
  const checkItem = compileCheck(schema.items ?? {}, names);

  return (value, report) => {
    if (!Array.isArray(value)) return report.add('wrong_type', `must be a list, ${notKind(value)}`);
    if (value.length > maxItems) return report.add('too_many', rule);
    if (value.length < minItems) return report.add('too_few', rule);
    const clean: unknown[] = [];
    for (let i = 0; i < value.length && !report.full; i++) {
      report.enter(i);
      // An invalid entry leaves undefined, so that later rules find the other entries at their own index.
      clean.push(checkItem(value[i], report));
      report.leave();
    }
    return clean;
  };
}

function compileString(schema: BodySchema): Check {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const rule = `must have ${rangeText(schema.minLength, schema.maxLength)} characters`;
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern);
  const patternText = schema['x-pattern-text'] ?? '';
  const isUrl = schema.format === 'uri';

  return (value, report) => {
    if (typeof value !== 'string') return report.add('wrong_type', `must be a string, ${notKind(value)}`);
    if (!hasAtMost(value, maxLength)) return report.add('too_long', rule);
    if (!hasAtLeast(value, minLength)) return report.add('too_short', rule);
    if (pattern !== undefined && !pattern.test(value)) return report.add('bad_format', patternText);
    if (isUrl && !isHttpUrl(value)) return report.add('bad_url', 'must be an absolute http or https URL');
    return value;
  };
}

function compileNumber(schema: BodySchema, isKind: (value: unknown) => boolean, kind: string): Check {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const rule = `must be ${kind} ${numberRangeText(schema.minimum, schema.maximum)}`;

  return (value, report) => {
    // Integers beyond 2^53 arrive as bigint: the right type, but too large for every field that is not an id.
    if (typeof value === 'bigint') return report.add(value < 0n ? 'too_small' : 'too_large', rule);
    if (typeof value !== 'number' || (Number.isFinite(value) && !isKind(value))) {
      return report.add('wrong_type', `${rule}, ${notKind(value)}`);
    }
    if (value < minimum) return report.add('too_small', rule);
    return value > maximum ? report.add('too_large', rule) : value;
  };
}

function checkId(value: unknown, report: Report): unknown {
  if (isPositiveInt64(value)) return value;
  const rule = 'must be a whole number from 1 to 9223372036854775807, in plain digits';
  if (
    typeof value !== 'bigint' &&
    (typeof value !== 'number' || (Number.isFinite(value) && !Number.isInteger(value)))
  ) {
    return report.add('wrong_type', `${rule}, ${notKind(value)}`);
  }
  return report.add(value < 1 ? 'too_small' : 'too_large', rule);
}

function checkBoolean(value: unknown, report: Report): unknown {
  return typeof value === 'boolean' ? value : report.add('wrong_type', `must be true or false, ${notKind(value)}`);
}

function compileScalar(schema: BodySchema): Check {
  const checkText = compileString({ ...schema, type: 'string' });
  return (value, report) => {
    switch (typeof value) {
      case 'boolean':
      case 'bigint':
        return value;
      case 'number':
        return Number.isFinite(value) ? value : report.add('too_large', 'must be a finite number');
      case 'string':
        return checkText(value, report);
      default:
        return report.add('wrong_type', `must be a string, a number, true or false, ${notKind(value)}`);
    }
  };
}

function compileEnum(values: readonly (string | number)[], hasCarrierNames: boolean, names: Names): Check {
  const allowed = new Set<unknown>(values);
  const type = typeof values[0];
  const spelled = hasCarrierNames ? values.map((value) => names.method(String(value))) : values;
  const rule = `must be ${values.length === 1 ? 'exactly' : 'one of:'} ${spelled.join(', ')}`;

  return (value, report) => {
    const neutral = hasCarrierNames && typeof value === 'string' ? names.neutralMethod(value) : value;
    if (allowed.has(neutral)) return neutral;
    const isRightType = typeof value === type || (typeof value === 'bigint' && type === 'number');
    return isRightType ? report.add('not_allowed', rule) : report.add('wrong_type', `${rule} (${notKind(value)})`);
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Names a value of the wrong type. A number has a fraction where an integer is required, or is itself the wrong type. */
export function notKind(value: unknown): string {
  if (value === null) return 'not null';
  if (Array.isArray(value)) return 'not a list';
  switch (typeof value) {
    case 'object':
      return 'not an object';
    case 'number':
      return Number.isInteger(value) ? 'not a number' : 'not a number with a fraction';
    case 'bigint':
      return 'not a number';
    default:
      return `not a ${typeof value}`;
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

function rangeText(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return min === max ? `exactly ${min}` : `${min} to ${max}`;
  return min === undefined ? `at most ${max}` : `at least ${min}`;
}

function numberRangeText(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return `from ${min} to ${max}`;
  return min === undefined ? `of at most ${max}` : `of at least ${min}`;
}
