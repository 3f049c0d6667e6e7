/** In charge of the one PostgreSQL of a whole test run: `node --test --test-global-setup=<this file>`. */
import { CITUS_VARIABLE, postgresSkipped, SERVER_VARIABLE, TEMPLATE_VARIABLE } from './availability.ts';
import { createTemplate } from './template-database.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer | undefined;

/** The processes of the test files inherit the variables. */
export async function globalSetup(): Promise<void> {
  if (process.env[CITUS_VARIABLE] || process.env[SERVER_VARIABLE] || postgresSkipped() !== false) return;
  server = await startTestServer();
  process.env[SERVER_VARIABLE] = server.url;
  process.env[TEMPLATE_VARIABLE] = await createTemplate(server.url);
}

export async function globalTeardown(): Promise<void> {
  await server?.close();
}
