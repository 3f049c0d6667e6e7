/** Tests that docs/operate/deploy.md names only existing settings, metrics, limits, events and commands. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { SETTINGS } from '../../src/config/settings.ts';
import { EVENTS } from '../../src/telemetry/events.ts';
import { METRICS } from '../../src/telemetry/metric-table.ts';
import { runOfferbook } from '../harness/command-line.ts';

const text = readFileSync(path.resolve(import.meta.dirname, '../../docs/operate/deploy.md'), 'utf8');
const all = (pattern: RegExp) => new Set(Array.from(text.matchAll(pattern), ([, found]) => found ?? ''));

it('settings', () => {
  const known: string[] = Object.values(SETTINGS).map(({ name }) => name);
  const named = all(/(?:`|Environment=|export |^|(?<=\S) )([A-Z]+(?:_[A-Z]+)*)(?==|`)/gm);
  assert.ok(named.size > 10, [...named].join());
  assert.deepEqual(
    [...named].filter((name) => !known.includes(name)),
    [],
  );
});

it('metrics and their labels', () => {
  const known: string[] = Object.values(METRICS).map(({ name }) => name);
  const named = all(/\b((?:offerbook|nodejs|process)_[a-z_]+?)(?:_bucket)?\b/g);
  assert.ok(named.size > 5, [...named].join());
  assert.deepEqual(
    [...named].filter((name) => !known.includes(name)),
    [],
  );
  const limits = Object.values(EVENTS).map(({ limit }) => limit);
  for (const limit of all(/limit="(\w+)"/g)) assert.ok(limits.includes(limit), limit);
});

it('commands', async () => {
  for (const command of all(/npx offerbook ([a-z]+(?: (?:add|list))?)/g)) {
    const { exitCode, stdout } = await runOfferbook({}, ...command.split(' '), '--help');
    assert.equal(exitCode, 0, command);
    assert.match(stdout, new RegExp(`^Usage: offerbook ${command} `), command);
  }
});

it('building the portal, at an installation and at an upgrade', () => {
  const builds = text.split('\n').filter((line) => line.includes('npm run build:portal'));
  const { scripts } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8'));
  assert.equal(builds.length, 2);
  assert.ok('build:portal' in scripts);
});
