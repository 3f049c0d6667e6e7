/**
 * Creates databases on Citus: one on each node, with the extension. The coordinator then joins them into a cluster. The nodes must accept
 * connections from each other, and the user of the URL on all of them.
 */
import { administer } from './administer.ts';

/** Returns the URLs of all nodes, the coordinator first, for the database that the given URL names. */
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

/** Enough to tell one shard from several; with the default of 32, creating a database takes minutes. */
const SHARDS = 4;

/** Joins the databases into one distributed database. A coordinator without workers holds all shards itself. */
export async function joinCitus([firstUrl, ...otherUrls]: readonly [string, ...string[]]): Promise<void> {
  for (const url of [firstUrl, ...otherUrls]) await administer(url, 'CREATE EXTENSION citus');
  for (const url of otherUrls) {
    const { hostname, port } = new URL(url);
    await administer(firstUrl, 'SELECT citus_add_node($1, $2)', [hostname, Number(port)]);
  }
  await administer(firstUrl, `ALTER DATABASE ${new URL(firstUrl).pathname.slice(1)} SET citus.shard_count = ${SHARDS}`);
}
