/** Applies announced changes of rules whose date has come, through the commands of an immediate change. */
import { parseExactJson } from '../../../domain/int64.ts';
import type { Policy } from '../../../domain/review/policies.ts';
import type { AnnouncedChange, ChangeNote, PolicyStore, RuleEdit, StoredTaxonomy } from '../../port/settings.ts';
import { change, undone } from '../command.ts';
import { columnsOf, JSON_TEXT } from '../records.ts';
import { firstOf, type Sql, statement, type WriteSql } from '../sql.ts';
import { dropTaxonomy, putTaxonomy } from '../taxonomy.ts';
import { settleAnnounced } from './announced-changes.ts';
import { addPlaceholder, addPolicy, removePlaceholder, removePolicy } from './policies.ts';

interface DueChange extends AnnouncedChange {
  readonly edit: RuleEdit['edit'];
  readonly body: unknown;
}

const DUE = columnsOf<DueChange>({ impact: JSON_TEXT, body: { read: parseExactJson } })(
  ...(['announcedId', 'by', 'act', 'subject', 'impact', 'edit', 'body'] as const),
);
const FIND_DUE = statement('find due change')`
  SELECT ${DUE.list} FROM announced_change WHERE state = 'announced' AND enforced_from_ms <= $1
  ORDER BY enforced_from_ms, announced_id LIMIT 1`;
const IS_MERCHANT = statement<[one: number]>('check merchant of grant')`SELECT 1 FROM merchant WHERE merchant_id = $1`;

const findDue = firstOf(FIND_DUE, DUE.of);

/** A command that would change nothing returns `undone` before it writes, so its result does not matter. */
const EDITS: Readonly<Record<RuleEdit['edit'], (sql: WriteSql, value: never, note: ChangeNote) => Promise<unknown>>> = {
  addPolicy: async (sql, policy: Policy, note) => addPolicy(sql, await withoutRemoved(sql, policy), note),
  removePolicy,
  addPlaceholder,
  removePlaceholder,
  putTaxonomy: (sql, taxonomy: StoredTaxonomy, note) => putTaxonomy(sql, { ...taxonomy, importedMs: note.atMs }, note),
  dropTaxonomy: (sql, _nothing, note) => dropTaxonomy(sql, note),
};

/** Finds the change after `change` has raised the version of the settings: of several processes, the later ones see it applied. */
export const applyAnnouncedChange = change<PolicyStore['applyAnnouncedChange']>(async (sql, nowMs) => {
  const due = await findDue(sql, nowMs);
  if (due === undefined) return undone(false);
  const { announcedId, edit, body, ...note } = due;
  await settleAnnounced(sql, 'applied', nowMs, null, announcedId);
  await EDITS[edit](sql, body as never, { ...note, atMs: nowMs });
  return true;
});

/** Grants to merchants that were removed since the announcement are left out: another merchant may get the same id. */
async function withoutRemoved(sql: Sql, policy: Policy): Promise<Policy> {
  if (policy.kind !== 'restricted_brand') return policy;
  const merchantIds: string[] = [];
  for (const id of policy.merchantIds) if ((await sql.run(IS_MERCHANT, [id])).length > 0) merchantIds.push(id);
  return { ...policy, merchantIds };
}
