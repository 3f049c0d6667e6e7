/** Tests signed-links.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { SigningKey } from '../../store/port/settings.ts';
import type { SetupStore } from '../../store/port.ts';
import { AccountDirectory } from '../account-directory.ts';
import { type LinkPurpose, SignedLinks } from './signed-links.ts';
import { newSigningKey } from './token.ts';

const NOW_MS = Date.UTC(2026, 0, 31, 9, 30);
const ID = '0b5b1c8e-0000-4000-8000-000000000001';
const PURPOSES: readonly LinkPurpose[] = ['upload', 'errors', 'retry', 'report'];
const PUBLIC_URL = 'https://shop.example/api';

const newKey = (endsMs: number | null = null): SigningKey => ({ ...newSigningKey(), createdMs: 0, endsMs });

/** A context for two accounts, and the keys of its store. */
function setup(...keys: SigningKey[]) {
  let version = 1;
  const stored = keys.length === 0 ? [newKey()] : keys;
  const store = {
    readSetupVersion: async () => version,
    listSigningKeys: async () => [...stored],
    readAccount: async (accountId: number) => (accountId <= 2 ? ({ accountId } as Account) : undefined),
  };
  const directory = new AccountDirectory({ settings: store } as unknown as SetupStore);
  return {
    links: new SignedLinks(directory, () => PUBLIC_URL),
    directory,
    addKey(key: SigningKey) {
      stored.unshift(key);
      version++;
    },
  };
}

function queryOf(url: string): string {
  return url.slice(url.indexOf('?') + 1);
}

describe('signed links', () => {
  it('start with the public URL and contain their purpose', async () => {
    const { links } = setup();
    const urls = await Promise.all(PURPOSES.map((purpose) => links.sign(purpose, 1, ID, NOW_MS)));
    assert.deepEqual(
      urls.map((url) => url.slice(0, url.indexOf('?'))),
      [
        `${PUBLIC_URL}/uploads/${ID}`,
        `${PUBLIC_URL}/files/${ID}/errors.json`,
        `${PUBLIC_URL}/files/${ID}/retry.json`,
        `${PUBLIC_URL}/reports/files/${ID}/report.csv`,
      ],
    );
    assert.match(queryOf(urls[0] ?? ''), /^account=1&expires=1769853600&key=[\w-]{8}&signature=[\w-]{43}$/);
  });

  it('are valid for their account until the last second', async () => {
    const { links } = setup();
    for (const purpose of PURPOSES) {
      const query = queryOf(await links.sign(purpose, 2, ID, NOW_MS));
      const endMs = NOW_MS + LIMITS.signed_link_seconds * 1000;
      assert.deepEqual(await links.verify(purpose, ID, query, NOW_MS), { accountId: 2 });
      assert.deepEqual(await links.verify(purpose, ID, query, endMs - 1), { accountId: 2 });
      assert.equal(await links.verify(purpose, ID, query, endMs), 'link_expired');
    }
  });

  it('are valid for one purpose and one id', async () => {
    const { links } = setup();
    for (const purpose of PURPOSES) {
      const query = queryOf(await links.sign(purpose, 1, ID, NOW_MS));
      for (const other of PURPOSES.filter((one) => one !== purpose)) {
        assert.equal(await links.verify(other, ID, query, NOW_MS), 'link_invalid');
      }
      const otherId = ID.replace(/1$/, '2');
      assert.equal(await links.verify(purpose, otherId, query, NOW_MS), 'link_invalid');
      assert.equal(await links.verify(purpose, ID.toUpperCase(), query, NOW_MS), 'link_invalid');
    }
  });

  it('are invalid when any character is changed, added or removed', async () => {
    const { links } = setup();
    const query = queryOf(await links.sign('upload', 1, ID, NOW_MS));
    for (let at = 0; at < query.length; at++) {
      const swapped = query[at] === '1' ? '2' : '1';
      for (const bad of [
        `${query.slice(0, at)}${swapped}${query.slice(at + 1)}`,
        `${query.slice(0, at)}${query.slice(at + 1)}`,
        `${query.slice(0, at)}0${query.slice(at)}`,
      ]) {
        assert.equal(await links.verify('upload', ID, bad, NOW_MS), 'link_invalid', bad);
      }
    }
    for (const bad of ['', `${query}&`, `&${query}`, `${query}&x=1`, `${query}=`, query.toUpperCase(), `${query}\n`]) {
      assert.equal(await links.verify('upload', ID, bad, NOW_MS), 'link_invalid', bad);
    }
  });

  it('have a signature with one spelling, although the last character has unused bits', async () => {
    const { links } = setup();
    const query = queryOf(await links.sign('upload', 1, ID, NOW_MS));
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const good = [...letters].filter((letter) => query.endsWith(letter));
    const twins = [...letters].filter((letter) => letters.indexOf(letter) >> 2 === letters.indexOf(good[0] ?? '') >> 2);
    assert.equal(twins.length, 4);
    const verified = await Promise.all(
      twins.map((letter) => links.verify('upload', ID, `${query.slice(0, -1)}${letter}`, NOW_MS)),
    );
    assert.equal(verified.filter((outcome) => outcome === 'link_invalid').length, 3);
  });

  it('of another account or another server are invalid', async () => {
    const { links } = setup();
    const foreign = queryOf(await setup().links.sign('upload', 1, ID, NOW_MS));
    assert.equal(await links.verify('upload', ID, foreign, NOW_MS), 'link_invalid');
    const gone = queryOf(await links.sign('upload', 3, ID, NOW_MS));
    assert.equal(await links.verify('upload', ID, gone, NOW_MS), 'link_invalid');
  });

  it('stay valid after a key roll for as long as tokens of the old key', async () => {
    const old = newKey(NOW_MS + 60_000);
    const before = setup({ ...old, endsMs: null });
    const query = queryOf(await before.links.sign('upload', 1, ID, NOW_MS));
    const { links } = setup(newKey(), old);
    assert.deepEqual(await links.verify('upload', ID, query, NOW_MS + 59_999), { accountId: 1 });
    assert.equal(await links.verify('upload', ID, query, NOW_MS + 60_000), 'link_invalid');
  });

  it('are accepted when another process signed them with a new key', async () => {
    const { links, addKey } = setup();
    assert.equal(typeof (await links.sign('upload', 1, ID, NOW_MS)), 'string');
    const next = newKey();
    addKey(next);
    const query = queryOf(await setup(next).links.sign('upload', 1, ID, NOW_MS));
    assert.deepEqual(await links.verify('upload', ID, query, NOW_MS), { accountId: 1 });
  });

  it('reveal the id of an upload, signed or not, and of no other URL', async () => {
    const { links } = setup();
    const url = await links.sign('upload', 1, ID, NOW_MS);
    assert.deepEqual(
      [url, links.address('upload', ID)].map((one) => links.uploadId(one)),
      [ID, ID],
    );
    for (const other of [`http://shop.example/api/uploads/${ID}`, links.address('errors', ID), ID, '']) {
      assert.equal(links.uploadId(other), undefined);
    }
  });
});
