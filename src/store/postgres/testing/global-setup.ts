/** Starts the PostgreSQL server of a whole test run: `node --test --test-global-setup=<this file>`. */
import { CITUS_VARIABLE, postgresSkipped, SERVER_VARIABLE, TEMPLATE_VARIABLE } from './availability.ts';
import { citusNodes } from './citus-nodes.ts';
import { createTemplate, dropTemplate } from './template-database.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer | undefined;
let removeTemplate: (() => Promise<void>) | undefined;

/** Processes of test files inherit the variables. */
export async function globalSetup(): Promise<void> {
  const citusUrl = process.env[CITUS_VARIABLE];
  if (citusUrl) {
    const nodeUrls = await citusNodes(citusUrl);
    const template = await createTemplate(nodeUrls, { citus: true });
    process.env[TEMPLATE_VARIABLE] = template;
    removeTemplate = () => dropTemplate(nodeUrls, template);
    return;
  }
  if (process.env[SERVER_VARIABLE] || postgresSkipped() !== false) return;
  server = await startTestServer();
  process.env[SERVER_VARIABLE] = server.url;
  process.env[TEMPLATE_VARIABLE] = await createTemplate([server.url]);
}

export async function globalTeardown(): Promise<void> {
  await removeTemplate?.();
  await server?.close();
}
