/** Tests that passwords, session tokens and links are never logged, at any level, nor stored in plain text. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { offerbookJson } from '../harness/command-line.ts';
import { databaseFolder } from '../harness/own-server.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { startServeProcess } from '../harness/serve-process.ts';

/** Sent secrets, which must not be found anywhere. */
const MARKS = {
  password: 'mark-password-of-ann',
  newPassword: 'mark-new-password-of-ann',
  wrongPassword: 'mark-wrong-password',
  wrongToken: 'mark-wrong-link-token',
  wrongCookie: 'mark-wrong-cookie',
  wrongCsrf: 'mark-wrong-csrf',
  body: 'mark-in-a-broken-body',
};

it('a server at log level trace logs and stores no credentials', async (t) => {
  const DATA_DIR = await databaseFolder();
  const { link } = await offerbookJson({ DATA_DIR }, 'user', 'add', 'ann@market.example', '--role', 'operator');
  const linkToken = String(link).split('#')[1] ?? '';
  const server = await startServeProcess({ DATA_DIR, LOG_LEVEL: 'trace' }, []);
  t.after(() => server.stop('SIGKILL'));

  const visitor = new PortalBrowser(server.url);
  const seen: (string | undefined)[] = [];
  await visitor.post('/links', { token: linkToken });
  await visitor.post('/links', { token: MARKS.wrongToken });
  const ann = await PortalBrowser.byLink(server.url, linkToken, MARKS.password);
  seen.push(ann.cookie, ann.csrfToken);
  const wrong = { email: 'ann@market.example', password: MARKS.wrongPassword };
  const statuses: number[] = [];
  for (let n = 0; n < 12; n++) statuses.push((await visitor.post('/session', wrong)).status);
  assert.deepEqual(statuses, [...Array(10).fill(400), 429, 429]);
  await visitor.post('/session', `{"${MARKS.body}`);
  await visitor.send('GET', '/users', undefined, { cookie: `offerbook_session=${MARKS.wrongCookie}` });
  await ann.send('DELETE', '/sessions', undefined, { 'x-csrf-token': MARKS.wrongCsrf });
  const change = { current_password: MARKS.password, password: MARKS.newPassword };
  assert.equal((await ann.put('/password', change)).status, 202);
  seen.push(ann.cookie);
  const added = await ann.post('/users', { email: 'bob@market.example', role: 'operator' });
  const otherToken = (added.body as { link: string }).link.split('#')[1] ?? '';
  await server.stop();

  const output = server.output();
  for (const event of ['request_answered', 'login_throttled']) {
    assert.ok(output.includes(`"event":"${event}"`), `${event} was not logged`);
  }
  const secrets = [
    ...Object.values(MARKS),
    linkToken,
    otherToken,
    ...seen.map((text) => text?.split('=').at(-1) ?? ''),
  ];
  for (const secret of secrets) {
    assert.ok(secret.length > 7 && !output.includes(secret), `${secret} is in the output`);
  }
  for (const name of await readdir(DATA_DIR, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const bytes = await readFile(path.join(name.parentPath, name.name));
    for (const secret of secrets) assert.ok(!bytes.includes(secret), `${secret} is in ${name.name}`);
  }
});
