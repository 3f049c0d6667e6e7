/** Stores the operator's taxonomy: a head, and its lines in parts. */
import type { TaxonomyStore } from '../port/settings.ts';
import { change, read, undone } from './command.ts';
import { announce, isDated } from './policies/announced-changes.ts';
import { HEAD, replaceRule, TAXONOMY_RULE } from './policies/replace-rule.ts';
import { firstOf, statement } from './sql.ts';

const COUNT_OFFERS = statement<[categoryId: string, offers: number]>('count all offers by category')`
  SELECT category_id, count(*) FROM offer_listing WHERE category_id IS NOT NULL GROUP BY category_id ORDER BY category_id`;

const READ_HEAD = statement('read taxonomy head')`SELECT ${HEAD.list} FROM taxonomy`;

export const readTaxonomyHead = read<TaxonomyStore['readTaxonomyHead']>(firstOf(READ_HEAD, HEAD.of));

export const readTaxonomy = read<TaxonomyStore['readTaxonomy']>(
  async (sql) => (await TAXONOMY_RULE.read(sql, [])) ?? undefined,
);

export const putTaxonomy = change<TaxonomyStore['putTaxonomy']>(async (sql, taxonomy, note) => {
  if (isDated(note)) await announce(sql, note, { edit: 'putTaxonomy', body: taxonomy });
  else await replaceRule(sql, TAXONOMY_RULE, [], taxonomy, note);
});

export const dropTaxonomy = change<TaxonomyStore['dropTaxonomy']>(async (sql, note) => {
  if (isDated(note)) return announce(sql, note, { edit: 'dropTaxonomy', body: null });
  if ((await sql.run(READ_HEAD)).length === 0) return undone('unset');
  await replaceRule(sql, TAXONOMY_RULE, [], null, note);
  return 'stored';
});

export const countOffersByCategory = read<TaxonomyStore['countOffersByCategory']>((sql) => sql.run(COUNT_OFFERS));
