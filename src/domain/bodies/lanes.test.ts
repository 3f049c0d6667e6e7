/** Holds measure.ts to the verdict of compile.ts, and the stored document to the fields that compile.ts returns, with random bodies. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { minimalSku } from '../../../test/harness/api-client.ts';
import { randomBody } from '../../../test/harness/random-bodies.ts';
import { isRun } from '../../../test/harness/scope.ts';
import { type Chance, seededChance } from '../../../test/harness/seeded-random.ts';
import type { Account } from '../account.ts';
import { readBodyText, type SentBody } from '../body-text.ts';
import { compileCheck } from '../check/compile.ts';
import { compileMeasure } from '../check/measure.ts';
import type { BodySchema } from '../check/schema.ts';
import type { TSchema } from '../check/type.ts';
import { stringifyExactJson } from '../int64.ts';
import { Names, NEUTRAL_NAMES } from '../names.ts';
import { checkWrite } from '../offers/check-write.ts';
import type { CheckedWrite } from '../offers/part.ts';
import { SKU, toStoredSku } from '../offers/parts/sku.ts';
import { Report } from '../problem.ts';
import { ANY_NODES, createBodyChecks } from './all-bodies.ts';
import { PART_BODIES } from './part-bodies.ts';
import { ShoeSkuBody, type SkuUpload } from './sku.ts';

const BODIES_PER_PART = isRun('long') ? 2500 : 1500;
const NAMES = new Names(NEUTRAL_NAMES);
const CONTEXT = { names: NAMES, bodies: createBodyChecks(NAMES, ANY_NODES) };

const SCHEMAS: Readonly<Record<string, TSchema>> = {
  '': PART_BODIES.sku,
  '/v2': ShoeSkuBody,
  '/price': PART_BODIES.price,
  '/inventory': PART_BODIES.inventory,
  '/variation': PART_BODIES.variation,
  '/shippingexception': PART_BODIES.shipping_exception,
  '/returnsexception': PART_BODIES.returns_exception,
  '/status/archive': PART_BODIES.archive,
};

/** Other ways to write a JSON text; most keep its value. Several of them may cancel out in length. */
const RESPELLINGS: readonly ((text: string, chance: Chance) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => inOrder(text),
  (text) => inOrder(text),
  (text) =>
    inOrder(text)
      .replace(/"prop_65":(true|false),?(.*)\}$/, '$2,"prop_65":$1}')
      .replace('{,', '{'),
  (text, chance) => text.replaceAll(/[,:{}[\]]/g, (mark) => (chance.below(20) === 0 ? `${mark} ` : mark)),
  (text, chance) => text.replaceAll(/(?<=[:,[])[1-9]\d*(?=[,}\]])/g, (number) => chance.pick(spellings(number))),
  (text, chance) => text.replace(/(?<=")[a-z]/, (letter) => (chance.below(2) === 0 ? letter : escaped(letter))),
  (text) => text.replace(/^\{("[a-z_]+":[^,{}[\]]+)(.*)\}$/, '{$1$2,$1}'),
];

function spellings(number: string): readonly string[] {
  return [
    number,
    `${number}.0`,
    `${number}e0`,
    `${number}00`,
    `${number}e2`,
    `0.${number}`,
    `-${number}`,
    `${number}e-2`,
  ];
}

function escaped(letter: string): string {
  return `\\u00${letter.charCodeAt(0).toString(16)}`;
}

/** Returns the text with the fields of the SKU in the order of the schema. */
function inOrder(text: string): string {
  const order = Object.keys(ShoeSkuBody.properties);
  const { value } = readBodyText(text) as SentBody;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text;
  const fields = Object.entries(value).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  return stringifyExactJson(Object.fromEntries(fields));
}

function randomTexts(chance: Chance, part: string): string[] {
  return Array.from({ length: BODIES_PER_PART }, () => {
    const [first, second] = [chance.pick(RESPELLINGS), chance.pick(RESPELLINGS)];
    const text = randomBody(chance, part);
    return isReadable(text)
      ? [first, second].reduce((spelled, respell) => (isReadable(spelled) ? respell(spelled, chance) : text), text)
      : text;
  });
}

function isReadable(text: string): boolean {
  return !('unreadable' in readBodyText(text));
}

function explained(schema: TSchema, value: unknown) {
  const report = new Report();
  const clean = compileCheck(schema as BodySchema, NAMES)(value, report);
  return { clean, isClean: report.problems.length + report.ignored.length === 0 };
}

function documentOf(body: SentBody): string | undefined {
  const checked = checkWrite(SKU, CONTEXT, {} as Account, 'x', body) as CheckedWrite;
  return checked.ok && checked.value.part === 'sku' ? checked.value.document : undefined;
}

describe('bodies that are recognized as clean', () => {
  for (const [part, schema] of Object.entries(SCHEMAS)) {
    it(`are those that stay unchanged: PUT …${part}`, () => {
      const measure = compileMeasure(schema as BodySchema, NAMES);
      const seen = { clean: 0, changed: 0, asSent: 0 };
      for (const text of randomTexts(seededChance(7), part)) {
        const body = readBodyText(text);
        if ('unreadable' in body) continue;
        const measured = measure(body.value);
        const { clean, isClean } = explained(schema, body.value);
        const written = stringifyExactJson(body.value);
        const isUnchanged = isClean && stringifyExactJson(clean) === written;
        assert.equal(measured > 0, isUnchanged, text);
        seen[isUnchanged ? 'clean' : 'changed']++;
        if (!isUnchanged || /\\|\d[eE]/.test(text) || measured === Number.POSITIVE_INFINITY) continue;
        assert.equal(measured === text.length, text === written, text);
        if (text === written) seen.asSent++;
      }
      for (const [kind, count] of Object.entries(seen)) assert.ok(count > 50, `${kind}: ${count} bodies`);
    });
  }
});

describe('the document of a SKU', () => {
  it('is the same whether it is stored as sent or written from its fields', () => {
    let asSent = 0;
    for (const part of ['', '/v2']) {
      for (const text of randomTexts(seededChance(11), part)) {
        const body = readBodyText(text);
        if ('unreadable' in body) continue;
        const document = documentOf(body);
        if (document === undefined) continue;
        const { clean } = explained(part === '' ? PART_BODIES.sku : ShoeSkuBody, body.value);
        assert.equal(document, stringifyExactJson(toStoredSku(clean as SkuUpload)), text);
        if (text === document || text === document.replace(',"prop_65":false', '')) asSent++;
      }
    }
    assert.ok(asSent > 100, `${asSent} documents were stored as sent`);
  });

  for (const sent of [
    '1e3 ',
    '1E3 ',
    '1,"no_return_fee_adjustment":1',
    '0.30000000000000005',
    '5.0',
    '-0.0',
    '"\\u0041"',
  ]) {
    it(`is written from its fields if a value is sent as ${sent}`, () => {
      const text = `{${JSON.stringify(minimalSku()).slice(1, -1)},"no_return_fee_adjustment":${sent},"prop_65":true}`;
      const body = readBodyText(text) as SentBody;
      assert.equal(documentOf(body), stringifyExactJson(body.value));
      assert.notEqual(documentOf(body), text);
    });
  }
});
