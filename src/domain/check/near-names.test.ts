/** Tests which misspelled names get a suggestion. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SETTINGS } from '../../config/settings.ts';
import { nearestName, suggestion } from './near-names.ts';

const NAMES = Object.values(SETTINGS).map(({ name }) => name);

it('a name with a few wrong, missing, added or swapped letters is recognized', () => {
  for (const [sent, meant] of Object.entries({
    DATADIR: 'DATA_DIR',
    'data-dir': 'DATA_DIR',
    dataDir: 'DATA_DIR',
    PROT: 'PORT',
    PUBLICURL: 'PUBLIC_URL',
    DATABSE_URL: 'DATABASE_URL',
    REQUESTS_PER_MINUT: 'REQUESTS_PER_MINUTE',
  }))
    assert.equal(nearestName(sent, NAMES), meant, sent);
  assert.equal(nearestName('prise', ['sku', 'price']), 'price');
});

it('other names get no suggestion', () => {
  for (const sent of ['', 'X', 'FOO', 'PASSWORD', 'HOSTNAME_OF_PROXY', 'x'.repeat(1_000_000)])
    assert.equal(suggestion(sent, NAMES), '', sent.slice(0, 20));
});

it('the closest name wins', () => {
  assert.equal(suggestion('quantitty', ['quantities', 'quantity']), ' (Did you mean quantity?)');
});
