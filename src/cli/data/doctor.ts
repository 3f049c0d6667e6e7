/** offerbook doctor: checks settings, clock, database and server, and says what to do about problems. */

import { mkdtempSync, rmdirSync, statSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CONFIG_VARIABLE } from '../../config/config-file.ts';
import { isPortalBuilt } from '../../config/pages-folders.ts';
import { databaseName, readSettings, SETTINGS, SettingError, type Settings } from '../../config/settings.ts';
import { readTlsFiles } from '../../config/tls-files.ts';
import { checkCertificate, type Finding, fail, ok, warn } from '../../domain/health.ts';
import { connectionsOfProcess } from '../../store/open-store.ts';
import { inspectDataDir } from '../../store/sqlite/checkup.ts';
import { isDataDirLocked } from '../../store/sqlite/engine/lock.ts';
import { listeningUrl } from '../api/server-address.ts';
import { ReportedError } from '../failure.ts';
import type { CliCommand } from '../options.ts';
import { type OutputOptions, paint, print, type Shell } from '../shell.ts';
import { printable } from '../table.ts';
import { inspectFilesFolder, inspectFolder } from './folder-checkup.ts';

interface DoctorOptions extends OutputOptions {
  readonly full?: true;
  readonly server: boolean;
}

const COLOR_OF_STATE = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const CLOCK_SKEW_MS_MAX = 2000;
/** Longer than the 2 seconds for which /readyz waits for the database. */
const ANSWER_MS_MAX = 5000;
const UNREADY = 'the database is damaged, does not respond, is locked, or its disk is full';
const YEARS = { first: 2026, last: 2100 };

export function addDoctorCommand(program: CliCommand, shell: Shell): void {
  program
    .command('doctor')
    .description(
      'Check settings, clock, data folder, database, files folder, portal, certificate and server, and say what to do about problems. ' +
        'Changes nothing. Exits with 1 when a check failed.',
    )
    .option('--full', 'also check every index of the embedded database; takes longer')
    .option('--no-server', 'do not expect a running server on this machine')
    .action((options: DoctorOptions) => doctor(shell, options))
    .examples('doctor', 'doctor --full --no-server --json');
}

async function doctor(shell: Shell, options: DoctorOptions): Promise<void> {
  const findings: Finding[] = [];
  const settings = readable(shell, findings);
  const database = settings && databaseName(settings);
  findings.push(await inspectClock());
  if (settings !== undefined) {
    findings.push(...(await inspectStore(settings, options.full ? 'full' : 'quick')));
    findings.push(inspectFilesFolder(settings));
    findings.push(inspectPortal());
    findings.push(...inspectCertificate(settings));
    if (options.server) findings.push(await inspectServer(settings));
  }
  const failed = findings.some(({ state }) => state === 'fail');
  print(shell, options, {
    json: { healthy: !failed, database: database ?? null, checks: findings },
    lines: [
      ...(database === undefined ? [] : [`Database: ${database}`]),
      ...findings.map(
        ({ state, check, text }) =>
          `${paint(shell, 'out', COLOR_OF_STATE[state], state.padEnd(4))}  ${check}: ${printable(text)}`,
      ),
    ],
  });
  if (failed) throw new ReportedError('A check failed.');
}

/** Lists which settings are set, but never their values, because some are secret. */
function readable(shell: Shell, findings: Finding[]): Settings | undefined {
  const check = 'settings';
  try {
    const settings = readSettings(shell.variables);
    const set = Object.values(SETTINGS).filter(({ name }) => shell.variables[name]);
    const names = set.map(({ name }) => name).join(', ');
    const file = shell.variables[CONFIG_VARIABLE];
    const source = file === undefined ? 'No configuration file.' : `Configuration file ${file}.`;
    findings.push(ok(check, `${source} ${names === '' ? 'All settings are defaults.' : `Set: ${names}.`}`));
    return settings;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    const text = `${withoutPasswords(error.message)}. Checks that depend on settings were skipped.`;
    findings.push(fail(check, text));
    return undefined;
  }
}

async function inspectStore(settings: Settings, depth: 'quick' | 'full'): Promise<Finding[]> {
  const { dataDir, databaseUrl } = settings;
  if (databaseUrl === undefined) {
    const found = await Array.fromAsync(inspectDataDir(dataDir, depth, Date.now()));
    return [...inspectFolder(dataDir), ...found, ...inspectFileTimes(dataDir)];
  }
  const { inspectDatabase } = await import('../../store/postgres/checkup.ts');
  return inspectDatabase(databaseUrl, connectionsOfProcess(settings));
}

/** Reports at most a warning, because the API works without the portal. */
function inspectPortal(): Finding {
  return isPortalBuilt()
    ? ok('portal', 'The portal is built.')
    : warn('portal', 'The portal is not built: run "npm run build:portal".');
}

/** Reports only a warning before the certificate expires, because the server works until then. */
function inspectCertificate(settings: Settings): Finding[] {
  const check = 'certificate';
  try {
    const files = readTlsFiles(settings);
    if (files === undefined) return [];
    const left_ms = files.certEndsMs - Date.now();
    const { ok: isOk, detail } = checkCertificate(left_ms);
    return [(isOk ? ok : left_ms > 0 ? warn : fail)(check, detail)];
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return [fail(check, `${error.message}.`)];
  }
}

async function inspectClock(): Promise<Finding> {
  const check = 'clock';
  const [startMs, startMonotonicMs] = [Date.now(), performance.now()];
  const year = new Date(startMs).getUTCFullYear();
  if (year < YEARS.first || year > YEARS.last) {
    return fail(check, `This machine's clock shows the year ${year}. Set the clock.`);
  }
  await setTimeout(20);
  const drift_ms = Math.abs(Date.now() - startMs - (performance.now() - startMonotonicMs));
  return drift_ms > CLOCK_SKEW_MS_MAX
    ? fail(check, `The clock jumped by ${Math.round(drift_ms)} ms during the check: check the time service.`)
    : ok(check, new Date(startMs).toISOString());
}

/** A folder on another machine may have another clock, which makes file times misleading. */
function inspectFileTimes(dataDir: string): Finding[] {
  const check = 'clock of the folder';
  let probe: string;
  try {
    probe = mkdtempSync(path.join(dataDir, 'doctor-'));
  } catch {
    const isThere = statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() ?? false;
    return isThere ? [fail('folder', `${dataDir} is not writable: check its mount and permissions.`)] : [];
  }
  const skew_ms = Math.abs(statSync(probe).mtimeMs - Date.now());
  rmdirSync(probe);
  return [
    skew_ms > CLOCK_SKEW_MS_MAX
      ? warn(check, `Differs by ${Math.round(skew_ms / 1000)} s from this machine's clock: use a local disk.`)
      : ok(check, "Agrees with this machine's clock."),
  ];
}

async function inspectServer(settings: Settings): Promise<Finding> {
  const { dataDir, databaseUrl } = settings;
  const check = 'server';
  const advice = 'start it, or add --no-server if it is stopped on purpose';
  if (databaseUrl === undefined && !isDataDirLocked(dataDir)) {
    return fail(check, `No server is using ${dataDir}: ${advice}.`);
  }
  const server = await listeningUrl(settings);
  if (server.endsWith(':0')) return ok(check, "PORT is 0, so the server's URL is unknown.");
  const url = `${server}/readyz`;
  try {
    const status = await statusOf(url);
    return status === 200
      ? ok(check, `${url} returns 200.`)
      : fail(check, `${url} returns ${status}: ${UNREADY}. See the server's log.`);
  } catch (error) {
    const reason = `${url} does not respond (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`;
    return databaseUrl === undefined
      ? fail(check, `A server is using ${dataDir}, but ${reason}: check HOST and PORT, and its log.`)
      : fail(check, `${reason}: ${advice} or runs on another machine.`);
  }
}

/** Only checks that a server responds, so the certificate may be for another address. */
async function statusOf(url: string): Promise<number | undefined> {
  const { get } = await import(url.startsWith('https:') ? 'node:https' : 'node:http');
  const answer = Promise.withResolvers<number | undefined>();
  const request: ClientRequest = get(url, { rejectUnauthorized: false, timeout: ANSWER_MS_MAX });
  request
    .on('response', (response) => {
      response.resume();
      answer.resolve(response.statusCode);
    })
    // An open connection would keep this process alive.
    .on('timeout', () => request.destroy(new Error(`no response within ${ANSWER_MS_MAX / 1000} s`)))
    .on('error', answer.reject);
  return answer.promise;
}

function withoutPasswords(text: string): string {
  return text.replaceAll(/:\/\/[^@\s"]*@/g, '://…@');
}
