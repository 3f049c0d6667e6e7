/**
 * Replaces a review rule in the transaction of a change, and records the old value, so that the change can be undone.
 * A rule is a policy, a placeholder, the taxonomy or the operator's correction of a product.
 */
import { hash } from 'node:crypto';
import type { Environment } from '../../../domain/account.ts';
import { parseExactJson, readId, stringifyExactJson } from '../../../domain/int64.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { KnownProduct } from '../../../domain/review/catalog.ts';
import { type Policy, policyKey } from '../../../domain/review/policies.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import type { ChangeNote, Placeholder, ReplacedRule, StoredTaxonomy, TaxonomyHead } from '../../port/settings.ts';
import { noteReplaced } from '../catalog/news.ts';
import { columnsOf, JSON_TEXT } from '../records.ts';
import { beginSweep } from '../review/review.ts';
import { insertStatement, rowsStatement, type Sql, statement, type WriteSql } from '../sql.ts';
import { noteShopCorrection } from '../storefront/progress.ts';

/** `Value` is kept as JSON; null: there is no such rule. */
export interface Rule<Value> {
  readonly name: ReplacedRule['rule'];
  read(sql: Sql, key: readonly string[]): Promise<Value | null>;
  /** Writes the rule, and starts the review of the offers that it may affect. */
  write(sql: WriteSql, key: readonly string[], value: Value | null): Promise<void>;
}

const NOTE = columnsOf<ChangeNote>({ impact: JSON_TEXT })('atMs', 'by', 'act', 'subject', 'impact');
const CHANGE = [...NOTE.names, 'rule', 'key', 'replaced', 'replacement_hash'];
const RECORD = insertStatement<[changeId: number]>('record rule change', 'rule_change', CHANGE, 'RETURNING change_id');
const DROP_OLDEST = statement<[]>('drop oldest rule changes')`DELETE FROM rule_change WHERE change_id <= $1`;

export async function replaceRule<Value>(
  sql: WriteSql,
  rule: Rule<Value>,
  key: readonly string[],
  value: Value | null,
  note: ChangeNote | undefined,
): Promise<void> {
  const replaced = note === undefined ? null : await rule.read(sql, key);
  await rule.write(sql, key, value);
  if (note === undefined) return;
  const replacement = hashOf(await rule.read(sql, key));
  const named = [rule.name, JSON.stringify(key), stringifyExactJson(replaced), replacement];
  const [recorded] = await sql.run(RECORD, [...NOTE.valuesOf(note), ...named]);
  await sql.run(DROP_OLDEST, [(recorded?.[0] ?? 0) - LIMITS.rule_changes_max]);
}

export function hashOf(value: unknown): string {
  return hash('sha256', stringifyExactJson(value), 'base64url');
}

const FIND_POLICY = statement<[policy: string]>('find policy')`SELECT policy FROM policy WHERE kind = $1 AND key = $2`;
const PUT_POLICY = insertStatement('put policy', 'policy', ['kind', 'key', 'policy'], 'REPLACE');
const DROP_POLICY = statement<[]>('remove policy')`DELETE FROM policy WHERE kind = $1 AND key = $2`;

/** Two spellings of a brand have the same key. */
export const POLICY_RULE: Rule<Policy> = {
  name: 'policy',
  read: async (sql, key) => (await sql.run(FIND_POLICY, key)).map(policyOf)[0] ?? null,
  async write(sql, key, policy) {
    if (policy === null) await sql.run(DROP_POLICY, key);
    else await putPolicy(sql, policy);
    // The order of offers changes no review.
    if (key[0] !== 'rank_order') await beginSweep(sql, 'all');
  },
};

export function policyOf([text]: readonly [policy: string]): Policy {
  return parseExactJson(text) as Policy;
}

/** Writes a policy without beginning a sweep. */
export async function putPolicy(sql: Sql, policy: Policy): Promise<void> {
  await sql.run(PUT_POLICY, [policy.kind, policyKey(policy), stringifyExactJson(policy)]);
}

export const PLACEHOLDER = columnsOf<Placeholder>({ sample: JSON_TEXT })('hash', 'note', 'sample');
const READ_PLACEHOLDER = statement('read placeholder')`SELECT ${PLACEHOLDER.list} FROM placeholder WHERE hash = $1`;
const PUT_PLACEHOLDER = insertStatement('add placeholder', 'placeholder', PLACEHOLDER.names);
const DROP_PLACEHOLDER = statement<[]>('remove placeholder')`DELETE FROM placeholder WHERE hash = $1`;

export const PLACEHOLDER_RULE: Rule<Placeholder> = {
  name: 'placeholder',
  read: async (sql, key) => (await sql.run(READ_PLACEHOLDER, key)).map(PLACEHOLDER.of)[0] ?? null,
  async write(sql, key, placeholder) {
    await sql.run(DROP_PLACEHOLDER, key);
    if (placeholder !== null) await sql.run(PUT_PLACEHOLDER, PLACEHOLDER.valuesOf(placeholder));
    await beginSweep(sql, 'all');
  },
};

export const HEAD = columnsOf<TaxonomyHead>()('tag', 'source', 'nodes', 'importedMs');

/** One statement, so that head and parts belong together while another process replaces them. */
const READ_TAXONOMY = statement<[lines: string, ...head: unknown[]]>('read taxonomy')`
  SELECT lines, ${HEAD.list} FROM taxonomy, taxonomy_part ORDER BY number`;
const INSERT_HEAD = insertStatement('add taxonomy', 'taxonomy', ['only_row', ...HEAD.names]);
const INSERT_PART = insertStatement('add taxonomy part', 'taxonomy_part', ['number', 'lines']);
const DROP_PARTS = statement<[]>('drop taxonomy parts')`DELETE FROM taxonomy_part`;
const DROP_HEAD = statement<[]>('drop taxonomy')`DELETE FROM taxonomy`;

export const TAXONOMY_RULE: Rule<StoredTaxonomy> = {
  name: 'taxonomy',
  async read(sql) {
    const rows = await sql.run(READ_TAXONOMY);
    const [head] = rows.map(([, ...first]) => HEAD.of(first));
    return head === undefined ? null : { ...head, parts: rows.map(([lines]) => lines) };
  },
  async write(sql, _key, taxonomy) {
    await sql.run(DROP_PARTS);
    await sql.run(DROP_HEAD);
    if (taxonomy !== null) {
      await sql.run(INSERT_HEAD, [1, ...HEAD.valuesOf(taxonomy)]);
      for (const [number, lines] of taxonomy.parts.entries()) await sql.run(INSERT_PART, [number, lines]);
    }
    await beginSweep(sql, 'all');
  },
};

/** The category is text, because an id may be beyond 2^53. */
const CATEGORY_ID = { read: (id: string) => readId(id) ?? null, write: String };
export const PRODUCT = columnsOf<KnownProduct>({ categoryId: CATEGORY_ID })('code', 'brand', 'title', 'categoryId');

type Correction = Omit<KnownProduct, 'sameAs'> & { readonly sameAs: CatalogCode | null };
const CORRECTION = columnsOf<Correction>({ categoryId: CATEGORY_ID })(
  ...(['code', 'brand', 'title', 'categoryId', 'sameAs'] as const),
);
const FIND_CORRECTIONS = rowsStatement('find corrected products')`
  SELECT ${CORRECTION.list} FROM catalog_correction WHERE code = ANY ($1::text[]) AND environment = $2`;
const FIND_MERGED = rowsStatement<[code: CatalogCode, into: CatalogCode]>('find merged products')`
  SELECT code, same_as FROM catalog_correction WHERE same_as = ANY ($1::text[]) AND environment = $2`;
const CORRECT = insertStatement(
  'correct product',
  'catalog_correction',
  ['environment', ...CORRECTION.names],
  'REPLACE',
);
const DROP_CORRECTION = statement<[]>('drop correction of product')`
  DELETE FROM catalog_correction WHERE environment = $1 AND code = $2`;

export const PRODUCT_RULE: Rule<KnownProduct> = {
  name: 'product',
  read: async (sql, key) => {
    const [environment, code] = key as ProductKey;
    return (await readCorrections(sql, environment, [code]))[0] ?? null;
  },
  async write(sql, key, product) {
    const [environment, code] = key as ProductKey;
    const before = await PRODUCT_RULE.read(sql, key);
    if (product === null) await sql.run(DROP_CORRECTION, key);
    else await sql.run(CORRECT, [environment, ...CORRECTION.valuesOf({ sameAs: null, ...product })]);
    await noteReplaced(sql, environment, [code, ...(await readMerged(sql, environment, [code]))]);
    // The offers of a merged product are shown under the code of the other one.
    const shown = new Set([code, before?.sameAs ?? code]);
    for (const one of shown) await noteShopCorrection(sql, environment, one);
  },
};

type ProductKey = readonly [environment: Environment, code: CatalogCode];

/** Returns the corrections as they are stored: merged products keep the data that they had before. */
export async function readCorrections(
  sql: Sql,
  environment: Environment,
  codes: readonly CatalogCode[],
): Promise<readonly KnownProduct[]> {
  return (await sql.run(FIND_CORRECTIONS, [codes, environment])).map((row) => {
    const { sameAs, ...product } = CORRECTION.of(row);
    return { ...product, origin: 'operator', ...(sameAs !== null && { sameAs }) };
  });
}

/** Returns the products that were merged into any of these, in order. */
export async function readMerged(
  sql: Sql,
  environment: Environment,
  codes: readonly CatalogCode[],
): Promise<readonly CatalogCode[]> {
  return (await sql.run(FIND_MERGED, [codes, environment])).map(([code]) => code).sort();
}

/** A product that others are merged into is merged into none, so that no merge leads to another. */
export async function isMergeRefused(
  sql: Sql,
  environment: Environment,
  { code, sameAs }: Pick<KnownProduct, 'code' | 'sameAs'>,
): Promise<boolean> {
  if (sameAs === undefined) return false;
  const [into] = await readCorrections(sql, environment, [sameAs]);
  const own = await readMerged(sql, environment, [code]);
  const others = (await readMerged(sql, environment, [sameAs])).filter((other) => other !== code);
  return into?.sameAs !== undefined || own.length > 0 || others.length >= LIMITS.merged_products_max;
}
