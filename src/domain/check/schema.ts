/**
 * Restricts schemas to the keywords that compile.ts checks. The static type, the
 * runtime check and the OpenAPI page of a body all come from one schema.
 */
import type { Int64 } from '../int64.ts';
import { LIMITS } from '../limits.ts';
import { type TSchema, Type } from './type.ts';

/** The supported JSON Schema keywords. The checker would silently ignore other keywords. */
export interface BodySchema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | readonly string[];
  description?: string;
  /** Name of a shared schema: the OpenAPI document contains it once and refers to it. */
  title?: string;
  properties?: Record<string, BodySchema>;
  required?: readonly string[];
  items?: BodySchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: 'int64' | 'uri' | 'date-time';
  enum?: readonly (string | number)[];
  minimum?: number;
  maximum?: number;
  deprecated?: boolean;
  /** Values of `enum` that are accepted, but deprecated. */
  'x-deprecated-values'?: readonly string[];
  /** The rule that the pattern expresses, as shown to merchants. */
  'x-pattern-text'?: string;
  /** The values contain carrier names, which are read and written with the names that the operator set. */
  'x-carrier-names'?: boolean;
}

interface Said {
  description?: string;
  title?: string;
}

export function Text(max: number, said: Said & { min?: number } = {}) {
  const { min, ...rest } = said;
  return Type.String({ ...(min === undefined ? {} : { minLength: min }), maxLength: max, ...rest });
}

/** Text with a character that is not white space. */
export function FilledText(max: number, said: Said = {}) {
  const notBlank = { pattern: '\\S', 'x-pattern-text': 'must not be blank' };
  return Type.String({ minLength: 1, maxLength: max, ...notBlank, ...said });
}

export function Pattern(pattern: string, text: string, said: Said = {}) {
  return Type.String({ pattern, 'x-pattern-text': text, ...said });
}

export function HttpUrl(said: Said = {}) {
  return Type.String({ format: 'uri', maxLength: LIMITS.url_characters_max, ...said });
}

export function OneOf<const T extends readonly (string | number)[]>(
  values: T,
  said: Said & Pick<BodySchema, 'x-carrier-names' | 'x-deprecated-values'> = {},
) {
  const type = typeof values[0] === 'number' ? 'integer' : 'string';
  return Type.Unsafe<T[number]>({ type, enum: values, ...said });
}

export function Whole(minimum: number, maximum: number, said: Said = {}) {
  return Type.Integer({ minimum, maximum, ...said });
}

/** A positive id of up to 2^63 - 1. JSON Schema's `maximum` cannot represent that bound exactly. */
export function Id(said: Said = {}) {
  return Type.Unsafe<Int64>({ type: 'integer', format: 'int64', minimum: 1, ...said });
}

export function Amount(minimum: number, said: Said = {}) {
  return Type.Number({ minimum, maximum: LIMITS.amount_max, ...said });
}

export function List<T extends TSchema>(items: T, max: number, said: Said & { min?: number } = {}) {
  const { min, ...rest } = said;
  return Type.Array(items, { ...(min === undefined ? {} : { minItems: min }), maxItems: max, ...rest });
}

/** A string, number or boolean, kept as sent. */
export function Scalar(max: number, said: Said = {}) {
  return Type.Unsafe<string | number | boolean>({
    type: ['string', 'number', 'boolean'],
    maxLength: max,
    ...said,
  });
}
