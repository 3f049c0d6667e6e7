/**
 * In charge of new databases on a Citus. There a database is made on each node by itself, with the extension, and the
 * first node is told of the others. The nodes must let each other in, and the user of the address into all of them.
 */
import { administer } from './administer.ts';

/** Addresses of all nodes, the first one before the others; of the database that the given address names. */
export async function citusNodes(firstUrl: string): Promise<readonly string[]> {
  const workers = await administer(
    firstUrl,
    `SELECT nodename, nodeport FROM pg_dist_node WHERE groupid > 0 AND noderole = 'primary'`,
  );
  const others = workers.map(({ nodename, nodeport }) => {
    return Object.assign(new URL(firstUrl), { host: `${nodename}:${nodeport}` }).href;
  });
  return [firstUrl, ...others];
}

/** As many as show what goes to one shard and what to several; the 32 of Citus make a new database take minutes. */
const SHARDS = 4;

/** Makes one distributed database of those at the addresses. A first node that is alone does all the work itself. */
export async function joinCitus([firstUrl, ...otherUrls]: readonly [string, ...string[]]): Promise<void> {
  for (const url of [firstUrl, ...otherUrls]) await administer(url, 'CREATE EXTENSION citus');
  for (const url of otherUrls) {
    const { hostname, port } = new URL(url);
    await administer(firstUrl, 'SELECT citus_add_node($1, $2)', [hostname, Number(port)]);
  }
  await administer(firstUrl, `ALTER DATABASE ${new URL(firstUrl).pathname.slice(1)} SET citus.shard_count = ${SHARDS}`);
}
