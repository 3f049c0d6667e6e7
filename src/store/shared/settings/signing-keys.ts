/** Stores signing keys and rotates them, and drops expired keys, credential sets and links. */
import type { SettingsStore, SigningKey } from '../../port/settings.ts';
import { change, raiseSettingsVersion, read, undone, write } from '../command.ts';
import { BYTES, columnsOf } from '../records.ts';
import { insertStatement, isFound, rowsOf, type Sql, statement } from '../sql.ts';

const KEY = columnsOf<SigningKey>({ secret: BYTES })('keyId', 'secret', 'createdMs', 'endsMs');
const LIST = statement('list signing keys')`SELECT ${KEY.list} FROM signing_key ORDER BY number DESC`;
const hasSigningKey: (sql: Sql) => Promise<boolean> = isFound(LIST);
/** Sets when replaced keys expire. A key that was replaced before keeps its expiry if it is earlier. */
const SHORTEN = statement<[]>('shorten signing keys')`
  UPDATE signing_key SET ends_ms = $1 WHERE ends_ms IS NULL OR ends_ms > $1`;
const INSERT = insertStatement('add signing key', 'signing_key', ['key_id', 'secret', 'created_ms']);
const DROP_ENDED_KEYS = droppingEnded('signing_key');
const DROP_ENDED = [DROP_ENDED_KEYS, droppingEnded('one_time_link'), droppingEnded('credential')];

function droppingEnded(table: string) {
  return statement<[one: number]>(`drop ended of ${table}`)`DELETE FROM ${table} WHERE ends_ms <= $1 RETURNING 1`;
}

export const listSigningKeys = read<SettingsStore['listSigningKeys']>(rowsOf(LIST, KEY.of));

export const addSigningKey = change<SettingsStore['addSigningKey']>(async (sql, key, nowMs, previousEndMs) => {
  await sql.run(SHORTEN, [previousEndMs]);
  await sql.run(DROP_ENDED_KEYS, [nowMs]);
  await insert(sql, key, nowMs);
});

/** Runs at every server start, when a key nearly always exists. So it takes the lock on settings changes only if needed. */
export const addFirstSigningKey = write<SettingsStore['addFirstSigningKey']>(async (sql, key, nowMs) => {
  if (await hasSigningKey(sql)) return undefined;
  await raiseSettingsVersion(sql);
  if (await hasSigningKey(sql)) return undone(undefined);
  await insert(sql, key, nowMs);
  return undefined;
});

export const dropEnded = change<SettingsStore['dropEnded']>(async (sql, nowMs) => {
  let dropped = 0;
  for (const drop of DROP_ENDED) dropped += (await sql.run(drop, [nowMs])).length;
  return dropped === 0 ? undone(0) : dropped;
});

async function insert(sql: Sql, { keyId, secret }: Pick<SigningKey, 'keyId' | 'secret'>, nowMs: number): Promise<void> {
  await sql.run(INSERT, [keyId, secret, nowMs]);
}
