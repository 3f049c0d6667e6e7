/** Stores changes of rules that apply at a date, until they are applied (see apply-announced.ts) or cancelled. */
import { parseExactJson, stringifyExactJson } from '../../../domain/int64.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { policyKey, policyTitle } from '../../../domain/review/policies.ts';
import { isCountDue, reminderDays, withCount } from '../../../domain/review/reminders.ts';
import { HOUR_MS } from '../../../domain/vocabulary/iso-time.ts';
import type { AnnouncedChange, ChangeNote, PolicyStore, RuleEdit } from '../../port/settings.ts';
import { change, read, undone, write } from '../command.ts';
import { addAccountEvent } from '../feed/event-rows.ts';
import { columnsOf, FLAG, JSON_TEXT } from '../records.ts';
import { beginSweep } from '../review/review.ts';
import {
  dropSome,
  firstOf,
  insertStatement,
  isFound,
  rowsOf,
  runOnly,
  type Sql,
  statement,
  type WriteSql,
} from '../sql.ts';

export type DatedNote = ChangeNote & { readonly enforcedFromMs: number };

const NOTE = columnsOf<DatedNote>({ impact: JSON_TEXT })('atMs', 'by', 'act', 'subject', 'impact', 'enforcedFromMs');
const LISTED = columnsOf<AnnouncedChange>({ impact: JSON_TEXT, failing: JSON_TEXT, cleared: FLAG })(
  ...(['announcedId', 'atMs', 'by', 'act', 'subject', 'impact', 'enforcedFromMs', 'state', 'settledMs'] as const),
  ...(['settledBy', 'rule', 'remindedDays', 'failing', 'cleared'] as const),
);
const ADD = insertStatement('announce change', 'announced_change', [
  ...NOTE.names,
  'edit',
  'target',
  'body',
  'rule',
  'reminded_days',
]);
const SETTLED = 'state = $1, settled_ms = $2, settled_by = $3';
const REPLACE = statement<[]>('replace announced change')`
  UPDATE announced_change SET ${SETTLED} WHERE state = 'announced' AND target = $4`;
const FORGET = statement<[]>('forget edits of replaced changes')`
  UPDATE announced_change SET body = '' WHERE state = 'cancelled' AND target = $1 AND body <> ''`;
const SETTLE = statement<[one: number]>('settle announced change')`
  UPDATE announced_change SET ${SETTLED}, body = CASE WHEN $1 = 'cancelled' THEN body ELSE '' END
  WHERE state = 'announced' AND announced_id = $4 RETURNING 1`;
const READ_DATE = statement<[enforcedFromMs: number]>('read date of cancelled change')`
  SELECT enforced_from_ms FROM announced_change WHERE announced_id = $1 AND state = 'cancelled' AND body <> ''`;
const COUNT_ANNOUNCED = statement<[count: number]>('count announced changes')`
  SELECT count(*) FROM announced_change WHERE state = 'announced'`;
const RESTORE = statement<[]>('announce change again')`
  UPDATE announced_change SET state = 'announced', settled_ms = NULL, settled_by = NULL, cleared = 0, reminded_days = $2
  WHERE announced_id = $1`;
const MOVE = statement<[one: number]>('move announced change')`
  UPDATE announced_change SET enforced_from_ms = $2, reminded_days = $3 WHERE announced_id = $1 AND state = 'announced' RETURNING 1`;
const LIST = statement<readonly unknown[]>('list announced changes')`
  SELECT ${LISTED.list}, CASE WHEN state = 'cancelled' AND body <> '' THEN 1 END FROM announced_change
  ORDER BY CASE WHEN state = 'announced' THEN enforced_from_ms END NULLS LAST, settled_ms DESC, announced_id LIMIT $1`;
const READ_STATE = statement<[state: string]>('read state of announced change')`
  SELECT state FROM announced_change WHERE announced_id = $1`;

export function isDated(note: ChangeNote | undefined): note is DatedNote {
  return note?.enforcedFromMs !== undefined;
}

/** Announces a change instead of making it. It replaces an announced change with the same target, which counts as cancelled. */
export async function announce(sql: WriteSql, note: DatedNote, edit: RuleEdit): Promise<'stored'> {
  const target = JSON.stringify(targetOf(edit));
  await sql.run(REPLACE, ['cancelled', note.atMs, note.by, target]);
  await sql.run(FORGET, [target]);
  const named = [edit.edit, target, stringifyExactJson(edit.body), ruleText(edit)];
  await sql.run(ADD, [...NOTE.valuesOf(note), ...named, reminderDays(note.enforcedFromMs, note.atMs)]);
  await beginSweep(sql, 'all');
  return 'stored';
}

/** The taxonomy is replaced as a whole, so at most one change to it is announced. */
function targetOf({ edit, body }: RuleEdit): readonly unknown[] {
  switch (edit) {
    case 'addPolicy':
    case 'removePolicy':
      return [
        edit,
        body.kind,
        policyKey(body),
        ...(body.kind === 'restricted_brand' ? body.merchantIds.toSorted() : []),
      ];
    case 'addPlaceholder':
      return [edit, body.hash];
    case 'removePlaceholder':
      return [edit, body];
    default:
      return ['taxonomy'];
  }
}

function ruleText({ edit, body }: RuleEdit): string {
  switch (edit) {
    case 'addPolicy':
      return policyTitle(body);
    case 'removePolicy':
      return `No longer: ${policyTitle(body)}`;
    case 'addPlaceholder':
      return `${body.sample === null ? 'Placeholder image' : body.sample.kind === 'logo' ? 'Logo' : 'Watermark'}: ${body.note}`;
    case 'removePlaceholder':
      return 'No longer: a placeholder image, a logo or a watermark';
    case 'putTaxonomy':
      return 'New taxonomy';
    case 'dropTaxonomy':
      return 'Built-in taxonomy';
  }
}

export const settleAnnounced: (sql: Sql, ...values: readonly unknown[]) => Promise<boolean> = isFound(SETTLE);

export const listAnnouncedChanges = read<PolicyStore['listAnnouncedChanges']>(
  rowsOf(LIST, (row) => ({ ...LISTED.of(row), isRestorable: row.at(-1) === 1 })),
);

const EDIT = columnsOf<{ edit: RuleEdit['edit']; body: unknown }>({ body: { read: parseExactJson } })('edit', 'body');
const READ_EDIT = statement('read rule edit')`
  SELECT ${EDIT.list} FROM announced_change WHERE announced_id = $1 AND state = 'announced'`;
const CLEARED = statement<[]>('note cleared change')`
  UPDATE announced_change SET cleared = 1 WHERE announced_id = $1 AND state <> 'announced'`;

const findEdit = firstOf(READ_EDIT, EDIT.of);

export const readRuleEdit = read<PolicyStore['readRuleEdit']>(async (sql, announcedId) => {
  return (await findEdit(sql, announcedId)) as RuleEdit | undefined;
});

const REMIND = statement<[enforcedFromMs: number]>('note reminder of change')`
  UPDATE announced_change SET reminded_days = $2
  WHERE announced_id = $1 AND state = 'announced' AND reminded_days > $2 RETURNING enforced_from_ms`;
const COUNT_FAILING = statement<[accountId: number, offers: number]>('count upcoming failures of all accounts')`
  SELECT account_id, count(*) FROM upcoming_failure WHERE announced_id = $1 GROUP BY account_id ORDER BY account_id`;

/** One transaction, so that several processes send a reminder once: 1,000 accounts take about 50 ms. */
export const remindOfChange = change<PolicyStore['remindOfChange']>(async (sql, announcedId, days, nowMs) => {
  const [found] = await sql.run(REMIND, [announcedId, days]);
  if (found === undefined) return undone(undefined);
  for (const [accountId, offers] of await sql.run(COUNT_FAILING, [announcedId])) {
    const event = { type: 'requirement.reminder', announcedId, enforcedFromMs: found[0], days, offers } as const;
    await addAccountEvent(sql, accountId, event, nowMs);
  }
  return undefined;
});

const COUNTED = columnsOf<AnnouncedChange>({ failing: JSON_TEXT })('announcedId', 'atMs', 'failing');
const READ_COUNTED = statement('read counts of upcoming failures')`
  SELECT ${COUNTED.list} FROM announced_change WHERE state = 'announced'`;
const NOTE_FAILING = statement<[]>('note count of upcoming failures')`
  UPDATE announced_change SET failing = $2 WHERE announced_id = $1`;

export const noteFailing = change<PolicyStore['noteFailing']>(async (sql, offers, nowMs) => {
  const due = (await sql.run(READ_COUNTED)).map(COUNTED.of).filter((counted) => isCountDue(counted, nowMs));
  for (const { announcedId, failing } of due) {
    const counts = withCount(failing, [nowMs, offers.get(announcedId) ?? 0]);
    await sql.run(NOTE_FAILING, [announcedId, JSON.stringify(counts)]);
  }
  return due.length === 0 ? undone(undefined) : undefined;
});

export const noteCleared = change<PolicyStore['noteCleared']>(runOnly(CLEARED));

export const moveAnnouncedChange = change<PolicyStore['moveAnnouncedChange']>(async (sql, announcedId, date, nowMs) => {
  const moved = await sql.run(MOVE, [announcedId, date, reminderDays(date, nowMs)]);
  if (moved.length === 0) return undone(await whyNot(sql, announcedId));
  await beginSweep(sql, 'all');
  return 'stored';
});

export const cancelAnnouncedChange = change<PolicyStore['cancelAnnouncedChange']>(
  async (sql, announcedId, ...asked) => {
    const isSettled = await settleAnnounced(sql, 'cancelled', ...asked, announcedId);
    if (!isSettled) return undone(await whyNot(sql, announcedId));
    await beginSweep(sql, 'all');
    return 'stored';
  },
);

const findDate = firstOf(READ_DATE, ([date]) => date);
const countAnnounced = firstOf(COUNT_ANNOUNCED, ([count]) => count);

/** Changes of rules run one after the other, so two restores cannot exceed the number together. */
export const announceAgain = change<PolicyStore['announceAgain']>(async (sql, announcedId, nowMs) => {
  const date = await findDate(sql, announcedId);
  if (date === undefined) return undone(await whyNot(sql, announcedId));
  if (date < nowMs + LIMITS.announced_hours_min * HOUR_MS) return undone('late');
  if (((await countAnnounced(sql)) ?? 0) >= LIMITS.announced_changes_max) return undone('full');
  await sql.run(RESTORE, [announcedId, reminderDays(date, nowMs)]);
  await beginSweep(sql, 'all');
  return 'stored';
});

const findState = firstOf(READ_STATE, ([state]) => state);

async function whyNot(sql: Sql, announcedId: number): Promise<'unknown' | 'settled'> {
  return (await findState(sql, announcedId)) === undefined ? 'unknown' : 'settled';
}

export const dropAnnouncedChangesBefore = write<PolicyStore['dropAnnouncedChangesBefore']>(
  { lane: 'background' },
  dropSome(
    'drop announced changes',
    'announced_change',
    "state <> 'announced' AND settled_ms < $1 ORDER BY settled_ms, announced_id",
  ),
);
