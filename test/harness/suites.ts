/**
 * Assigns every test file to a process. Most files share a process with others of their suite. A separate process costs each file up to a
 * second of CPU time, because it loads the server again and runs it before V8 has compiled it. Each file can also run alone.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { QUICK_VARIABLE } from '../../src/store/postgres/testing/availability.ts';
import { isRun } from './scope.ts';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Files that need their own process, with the reason. `npm run test:quick` leaves them out. */
export const ALONE: Readonly<Record<string, string>> = Object.freeze({
  'src/store/sqlite/contract.test.ts': 'takes as long as a whole suite',
  'src/store/postgres/contract.test.ts': 'fails when a statement is registered after it was loaded',
  'src/store/postgres/engine/plans.test.ts': 'plans the statements that its process has registered',
  'src/store/postgres/engine/sql-rules.test.ts': 'checks every statement that its process has registered',
  'src/store/sqlite/engine/shared-commands.test.ts': 'prepares every statement that its process has registered',
  'src/store/sqlite/files/file-plans.test.ts': 'plans the statements that its process has registered',
  'src/store/postgres/engine/statements.test.ts': 'runs every statement that its process has registered',
  'src/store/postgres/engine/worker-gates.test.ts': 'checks every statement that its process has registered',
  'test/bulk/memory.test.ts': 'measures the memory of its process',
  'test/types.test.ts': 'runs the compiler: 23 s of CPU time on a busy machine',
});

/**
 * Files that only `npm run test:full` runs: long forms of what shorter tests prove, attacks, outages, several processes, commands that take
 * seconds each, and most browser tests. `npm test` keeps the browser journeys, one crash and three outages.
 */
export const LONG: readonly string[] = [
  'src/access/rates/shared-rate-limiter.test.ts',
  'src/bulk/{resume,rows/rare-rows}.test.ts',
  'src/store/postgres/{processes,offers/late-writes,testing/test-server}.test.ts',
  'src/review/images/{blank-and-placeholder,decoding/image-decoders,marks/find-marks}.test.ts',
  'test/{api,client}-with-profile.test.ts',
  'test/blackbox/!(crash).test.ts',
  'test/bulk/memory.test.ts',
  'test/cli/{backup,completion,copy,cut-*,doctor,moves,package,postgres,release,review-commands,running-server,serve-failures,server-address,stopped-moves,taxonomy,upgrade}.test.ts',
  'test/client/{browser,command-line,feed,package,part-hash,sync-runs}.test.ts',
  'test/docs/{client-code,code-samples,command-blocks,deploy,docker,docs-page,error-examples,generated-client,openapi-examples,scaling,site}.test.ts',
  'test/faults/!(postgres-outages).test.ts',
  'test/http/{broken-connections,floods,held-thread,large-group,one-answer,overload,slow-clients,slow-uploads,tls,unfinished-bodies}.test.ts',
  'test/moves/!(round-trip).test.ts',
  'test/portal/{announced-changes,change-many-offers,change-offers,demo-offers,display,forms,navigation,no-data-loss,offer-list,offer-page,operator-journeys,pages,plans}.test.ts',
  'test/portal/{rule-changes,secrets,sessions,sheets,shop-page,sign-in,slow-activity-log,tabs,version-conflicts,webhook-page}.test.ts',
  'test/processes/*.test.ts',
  'test/telemetry/log.test.ts',
];
/** Matches code that appears only in files with tests of both scopes. */
export const BOTH_SCOPES =
  /\b(?:describeApi|describeSharedApi|describeSharedOnBoth|describeBodyRules|VARIANTS_BY_SCOPE|isRun)\b/;
/**
 * Matches code that appears only in files that start many servers, or call one many times. `npm run test:quick` leaves them out, to take
 * under a minute.
 */
const NOT_QUICK = /\b(?:describeApi|describeSharedApi)\b/;

export interface Suite {
  /** The processes of the suite are `test/suites/<name>-<part>.ts`. Its files are distributed over them. */
  readonly name: string;
  /** A file belongs to the first suite with a matching pattern. */
  readonly patterns: readonly string[];
  /** Whether `npm run test:quick` runs the suite too. */
  readonly isQuick: boolean;
}

/** The longest suites come first, so that no process runs alone at the end. */
export const SUITES: readonly Suite[] = [
  { name: 'api', patterns: ['test/api/*.test.ts'], isQuick: true },
  {
    name: 'browser',
    patterns: [
      'test/portal/{change-many-offers,forms,journeys,operator-journeys,pages,navigation,no-data-loss,display,tabs,offer-page,plans,sheets,shop-page,version-conflicts,webhook-page}.test.ts',
      'test/portal/{fresh-sign-in,passkeys,sign-in-provider}.test.ts',
      'test/docs/docs-page.test.ts',
    ],
    isQuick: false,
  },
  // This suite mostly waits for other processes. At the end of the run, it kept a core busy for only a quarter of 75 seconds.
  { name: 'project', patterns: ['test/*.test.ts', 'test/{docs,harness}/*.test.ts'], isQuick: true },
  { name: 'portal', patterns: ['test/portal/*.test.ts'], isQuick: false },
  { name: 'faults', patterns: ['test/{faults,blackbox,processes}/*.test.ts'], isQuick: false },
  { name: 'cli', patterns: ['test/{cli,client,moves}/*.test.ts'], isQuick: false },
  { name: 'http', patterns: ['test/{http,bulk,telemetry}/*.test.ts'], isQuick: false },
  { name: 'postgres', patterns: ['src/store/postgres/**/*.test.ts', 'src/**/*.postgres.test.ts'], isQuick: false },
  { name: 'images', patterns: ['src/review/images/**/*.test.ts'], isQuick: false },
  {
    name: 'units',
    patterns: ['src/**/*.test.ts', 'test/config/*.test.ts', '{bench,prove}/**/*.test.ts'],
    isQuick: true,
  },
];

/** Returns the processes of a suite, relative to the root. */
export function processesOf({ name }: Suite): string[] {
  return globSync(`test/suites/${name}-*.ts`, { cwd: ROOT }).sort();
}

/** Returns the test files of each process, only those with tests that run here unless `areAll`. */
export function filesByProcess(areAll = false): Map<string, string[]> {
  const long = new Set(globSync([...LONG], { cwd: ROOT }));
  const files = new Map<string, string[]>();
  const taken = new Set(Object.keys(ALONE));
  for (const suite of SUITES) {
    const processes = processesOf(suite);
    const own = globSync([...suite.patterns], { cwd: ROOT }).filter((file) => !taken.has(file));
    for (const file of own) taken.add(file);
    for (const process of processes) files.set(process, []);
    const run = own.filter((file) => areAll || hasRunTests(file, long)).sort();
    for (const [place, file] of run.entries()) files.get(processes[place % processes.length] ?? '')?.push(file);
  }
  return files;
}

/** Returns the files of ALONE with tests that run here. */
export function filesAlone(): string[] {
  const long = new Set(globSync([...LONG], { cwd: ROOT }));
  return Object.keys(ALONE).filter((file) => hasRunTests(file, long));
}

function hasRunTests(file: string, long: ReadonlySet<string>): boolean {
  if (long.has(file)) return isRun('long');
  const source = readFileSync(path.join(ROOT, file), 'utf8');
  if (process.env[QUICK_VARIABLE] && NOT_QUICK.test(source)) return false;
  return isRun('usual') || BOTH_SCOPES.test(source);
}
