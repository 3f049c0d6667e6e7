/** In charge of the two sides of the rules about fields of a SKU upload: at the bound, and one beyond. */
import {
  type ApiAnswer,
  type ApiClient,
  type ExpectedProblem,
  minimalSku,
  problemAt,
  skuPath,
} from '../harness/api-client.ts';
import type { Bounds } from '../harness/contract-cases.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const AMOUNT_RANGE = 'must be a number from 0.01 to 1000000000';
export const ID_RANGE = 'must be a whole number from 1 to 9223372036854775807, in plain digits';
export const BAD_URL = 'must be an absolute http or https URL';

export function skuWith(fields: Fields): Record<string, unknown> {
  return { ...minimalSku(), ...fields };
}

export function skuWithout(...names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(minimalSku()).filter(([name]) => !names.includes(name)));
}

export function sendSku(api: ApiClient, body: unknown): Promise<ApiAnswer> {
  return api.put(skuPath(api.newSkuId()), body);
}

/** Both sides of a rule, as the fields that stand in a SKU that is otherwise fine. */
export function skuBounds(
  accepted: Readonly<Record<string, Fields>>,
  refused: Readonly<Record<string, readonly [Fields, ...ExpectedProblem[]]>>,
): Bounds {
  return {
    send: sendSku,
    accepted: Object.fromEntries(Object.entries(accepted).map(([what, fields]) => [what, skuWith(fields)])),
    refused: Object.fromEntries(
      Object.entries(refused).map(([what, [fields, ...problems]]) => [what, { body: skuWith(fields), problems }]),
    ),
  };
}

/** Characters are code points: the longest text has twice as many UTF-16 units, and so has the one that is too short. */
const EMOJI = '🪴';

/** `place` puts the text into the fields of a SKU, `label` names where it then stands. */
export function textBounds(
  label: string,
  { min, max }: { min?: number; max: number },
  place: (text: unknown) => Fields = (text) => ({ [label]: text }),
): Bounds {
  const rule = `must have ${min === undefined ? 'at most' : `${min} to`} ${max} characters`;
  return skuBounds(
    { 'the shortest text': place('x'.repeat(min ?? 0)), 'the longest text': place(EMOJI.repeat(max)) },
    {
      ...(min === undefined
        ? {}
        : { 'a text too short': [place(EMOJI.repeat(min - 1)), problemAt('too_short', label, rule)] }),
      'a text too long': [place('x'.repeat(max + 1)), problemAt('too_long', label, rule)],
      'a number': [place(12_345), problemAt('wrong_type', label, 'must be a string')],
    },
  );
}

export function amountBounds(field: string): Bounds {
  return skuBounds(
    { 'the least amount': { [field]: 0.01 }, 'the greatest amount': { [field]: 1e9 }, null: { [field]: null } },
    {
      'an amount too small': [{ [field]: 0.0099 }, problemAt('too_small', field, AMOUNT_RANGE)],
      'an amount too large': [{ [field]: 1_000_000_000.01 }, problemAt('too_large', field, AMOUNT_RANGE)],
      'a text': [{ [field]: '1.5' }, problemAt('wrong_type', field, AMOUNT_RANGE)],
      'a truth value': [{ [field]: true }, problemAt('wrong_type', field, AMOUNT_RANGE)],
    },
  );
}

export function wholeBounds(
  label: string,
  { min, max }: { min: number; max: number },
  place: (value: unknown) => Fields = (value) => ({ [label]: value }),
): Bounds {
  const rule = `must be an integer from ${min} to ${max}`;
  return skuBounds(
    { 'the least number': place(min), 'the greatest number': place(max) },
    {
      'a number too small': [place(min - 1), problemAt('too_small', label, rule)],
      'a number too large': [place(max + 1), problemAt('too_large', label, rule)],
      'a fraction': [place(min + 0.5), problemAt('wrong_type', label, rule)],
      'a text': [place(String(min)), problemAt('wrong_type', label, rule)],
    },
  );
}

const ADDRESS_START = 'https://images.example/';

export function urlBounds(label: string, place: (url: unknown) => Fields = (url) => ({ [label]: url })): Bounds {
  const badUrl = (url: string) => [place(url), problemAt('bad_url', label, BAD_URL)] as const;
  return skuBounds(
    {
      'an http address': place('http://images.example/pot.jpg'),
      'capitals in the scheme': place('HTTPS://images.example'),
      'the longest address': place(ADDRESS_START.padEnd(2048, 'x')),
    },
    {
      'an address too long': [
        place(ADDRESS_START.padEnd(2049, 'x')),
        problemAt('too_long', label, 'must have at most 2048 characters'),
      ],
      'another scheme': badUrl('ftp://images.example/pot.jpg'),
      'no scheme': badUrl('//images.example/pot.jpg'),
      'no host': badUrl('https:///pot.jpg'),
      'a single slash': badUrl('https:/images.example/pot.jpg'),
      'a space': badUrl('https://images.example/a pot.jpg'),
      'a port out of range': badUrl('https://images.example:65536/pot.jpg'),
      'an empty text': badUrl(''),
      'a number': [place(7), problemAt('wrong_type', label, 'must be a string')],
    },
  );
}

/** Every one of the values is taken, nothing near them is. */
export function oneOfBounds(
  label: string,
  values: readonly string[],
  wrong: { readonly others: readonly string[]; readonly notText: unknown },
  place: (value: unknown) => Fields = (value) => ({ [label]: value }),
): Bounds {
  const rule = `must be one of: ${values.join(', ')}`;
  return skuBounds(Object.fromEntries(values.map((value) => [`'${value}'`, place(value)])), {
    ...Object.fromEntries(
      wrong.others.map((other) => [`'${other}'`, [place(other), problemAt('not_allowed', label, rule)] as const]),
    ),
    [`${wrong.notText}, which is no text`]: [place(wrong.notText), problemAt('wrong_type', label, rule)],
  });
}

/** A list holds at most so many entries; what they are is looked at only then. */
export function listBounds(
  field: string,
  { min = 0, max }: { min?: number; max: number },
  entry: (index: number) => unknown,
): Bounds {
  const list = (length: number) => ({ [field]: Array.from({ length }, (_, index) => entry(index)) });
  const rule = `must hold ${min === 0 ? 'at most' : `${min} to`} ${max} entries`;
  return skuBounds(
    { [`${min} entries`]: list(min), [`${max} entries`]: list(max), 'null for the list': { [field]: null } },
    {
      ...(min === 0 ? {} : { [`${min - 1} entries`]: [list(min - 1), problemAt('too_few', field, rule)] }),
      [`${max + 1} entries`]: [list(max + 1), problemAt('too_many', field, rule)],
      'faulty entries, too many of them': [{ [field]: Array(max + 1).fill(null) }, problemAt('too_many', field, rule)],
      'an object for the list': [{ [field]: {} }, problemAt('wrong_type', field, 'must be a list')],
    },
  );
}
