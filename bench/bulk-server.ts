/** Server for bulk file measurements: an empty database, the demo merchant, a session. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Files } from '../client/src/files.ts';
import { Session } from '../client/src/session.ts';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';
import { type MeasuredOfferbook, requestToken, startOfferbook } from './server-process.ts';

export interface BulkServer extends MeasuredOfferbook {
  readonly files: Files;
  /** Token for calls from other processes. */
  readonly token: string;
}

export async function startBulkServer(
  folder: string,
  name: string,
  variables: Readonly<Record<string, string>>,
): Promise<BulkServer> {
  const dataDir = path.join(folder, name);
  mkdirSync(dataDir, { recursive: true });
  const server = await startOfferbook(dataDir, variables);
  const { user, secret: pass } = DEMO_CREDENTIALS.test;
  const files = new Files(new Session({ url: server.url, user, pass }));
  return { ...server, files, token: await requestToken(server.url) };
}
