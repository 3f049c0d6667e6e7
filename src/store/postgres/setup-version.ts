/**
 * In charge of changes of the set-up: they are made one after the other, in whichever process, and each moves the version
 * by which servers notice it.
 */
import { type Connection, type Database, statement } from './engine.ts';
import { type Ending, inWriteTransaction } from './transactions.ts';

const READ = statement<[version: number]>('read set-up version', 'SELECT version FROM setup_version');
const RAISE = statement<[]>('raise set-up version', 'UPDATE setup_version SET version = version + 1');

export async function readSetupVersion(connection: Connection): Promise<number> {
  return theVersion(await connection.run(READ));
}

/** For servers, which look several times a second, and must not wait behind writes that wait for rows. */
export async function readSetupVersionQuickly(database: Database): Promise<number> {
  return theVersion(await database.readQuickly(READ));
}

function theVersion([row]: readonly [version: number][]): number {
  return row?.[0] ?? 0;
}

/**
 * The version is raised first: its one row is the lock that changes queue at, so that what a change looks at stands
 * still until it has ended. A change that says it is undone leaves the version as it was.
 */
export function changeSetup<T>(database: Database, work: (connection: Connection) => Promise<Ending<T>>): Promise<T> {
  return inWriteTransaction(database, async (connection) => {
    await connection.run(RAISE);
    return work(connection);
  });
}
