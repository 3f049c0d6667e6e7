/** Server for bulk file measurements: an empty database, the demo merchant, a session. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { ApiSession } from '../src/client/api-session.ts';
import { BulkFiles } from '../src/client/bulk-files.ts';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';
import { requestToken } from './server-process.ts';
import { startWatched, type WatchedServer } from './watched-server.ts';

export interface BulkServer extends WatchedServer {
  readonly files: BulkFiles;
  /** For calls from other processes. */
  readonly token: string;
}

export async function startBulkServer(
  folder: string,
  name: string,
  variables: Readonly<Record<string, string>>,
): Promise<BulkServer> {
  const dataDir = path.join(folder, name);
  mkdirSync(dataDir);
  const server = await startWatched(dataDir, variables);
  const files = new BulkFiles(new ApiSession({ server: server.url, ...DEMO_CREDENTIALS.test }));
  return { ...server, files, token: await requestToken(server.url) };
}
