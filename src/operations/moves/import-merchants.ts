/**
 * Use case: an operator imports exported merchants. Each merchant is imported completely or not at all. Until its last
 * line is read, it is suspended and has no keys. If a line is refused, its data is erased.
 */
import type { Environment } from '../../domain/account.ts';
import type { AccountRecord, GroupRecord, MerchantRecord, OfferRecord } from '../../domain/export/records.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { type Problem, type ProblemCode, requestProblem } from '../../domain/problem.ts';
import { ImportOvertakenError } from '../../store/port/errors.ts';
import { IMPORT_LEASE_MS, type MoveStore } from '../../store/port/moves.ts';
import { LineFault } from '../text-lines.ts';
import { eraseImported, eraseUnfinished } from './erase-offers.ts';
import { EXPORT_VERSION, type ExportCounts } from './export-lines.ts';
import { type ImportLine, readLine } from './import-lines.ts';
import type { MoveContext } from './pace.ts';

export interface ImportReport {
  readonly merchantIds: readonly string[];
  readonly counts: Readonly<ExportCounts>;
}

/**
 * `lines` must end when the text does. It yields a LineFault for a line that could not be read. An AbortError from
 * `lines` stops the import.
 */
export async function importMerchants(
  context: MoveContext,
  lines: AsyncIterable<readonly (string | LineFault)[]>,
  onProgress: (skus: number) => void = () => {},
): Promise<Outcome<ImportReport>> {
  const buffer = new ImportBuffer(context);
  let lineNumber = 0;
  try {
    for await (const some of lines) {
      for (const line of some) {
        lineNumber++;
        if (line instanceof LineFault) throw line;
        // Awaited only if something is written, because a tick of the event loop per line would cost more than the line itself.
        const written = buffer.take(readLine(line), lineNumber);
        if (written !== undefined) await written;
      }
      onProgress(buffer.counts.skus);
    }
    if (lineNumber === 0) throw new Stop('import_incomplete', 'The file is empty');
    if (!buffer.isComplete)
      throw new Stop('import_incomplete', 'the last line is missing, so the export is incomplete');
    return accept({ merchantIds: buffer.finished, counts: buffer.counts });
  } catch (error) {
    await buffer.abandon();
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    return refuse(problemsOf(fault, lineNumber, buffer.finished));
  }
}

/** Returns the fault that ended the import; undefined for a failure of the server. */
function faultOf(error: unknown): LineFault | undefined {
  if (error instanceof LineFault) return error;
  if (error instanceof ImportOvertakenError) {
    const text = 'this import lost its lease because it did not respond in time, and another command has continued it';
    return new Stop('import_overtaken', text);
  }
  if (error instanceof Error && error.name === 'AbortError') return new Stop('stopped', 'The import was stopped');
  return undefined;
}

/** Ends the import with a reason, phrased as a problem of one line. */
class Stop extends LineFault {
  readonly code: ProblemCode;
  /** The line with the problem; undefined if it is the last line read. */
  readonly lineNumber: number | undefined;

  constructor(code: ProblemCode, text: string, lineNumber?: number) {
    super([text]);
    this.code = code;
    this.lineNumber = lineNumber;
  }
}

function problemsOf(fault: LineFault, lastLineNumber: number, finished: readonly string[]): readonly Problem[] {
  const done =
    finished.length === 0 ? 'Nothing was imported' : `These merchants were imported and kept: ${finished.join(', ')}`;
  const [code, lineNumber = lastLineNumber] =
    fault instanceof Stop ? [fault.code, fault.lineNumber] : (['import_unreadable'] as const);
  const start = lineNumber === 0 ? '' : `Line ${lineNumber}: `;
  return fault.texts.map((text) => requestProblem(code, `${start}${text}. ${done}.`));
}

/** A record with its line number. */
type Numbered<T> = readonly [record: T, lineNumber: number];

interface OpenMerchant {
  readonly merchant: MerchantRecord;
  readonly accountIds: Readonly<Record<Environment, number>>;
  readonly accounts: Map<Environment, OpenAccount>;
  readonly held: HeldImport;
}

interface OpenAccount extends AccountRecord {
  readonly credentials: AccountRecord['credentials'][number][];
  readonly nodes: AccountRecord['nodes'][number][];
  readonly returnLocationIds: string[];
  /** The kind of line that is allowed next: first nodes, return locations and keys, then SKUs, then groups. */
  stage: 'setup' | 'skus' | 'groups';
}

/** Holds records that are not stored yet, and checks which lines may come next. */
class ImportBuffer {
  readonly counts: ExportCounts = { merchants: 0, skus: 0, lines: 0 };
  readonly finished: string[] = [];
  isComplete = false;

  readonly #context: MoveContext;
  #merchant: OpenMerchant | undefined;
  #account: OpenAccount | undefined;
  #offers: Numbered<OfferRecord>[] = [];
  #groups: Numbered<GroupRecord>[] = [];
  #rows = 0;

  constructor(context: MoveContext) {
    this.#context = context;
  }

  /** Returns a promise if the caller must wait. */
  take(line: ImportLine, lineNumber: number): Promise<void> | undefined {
    this.counts.lines = lineNumber;
    if (this.isComplete) throw new Stop('import_misplaced', 'this line comes after the last line');
    if ((lineNumber === 1) !== (line.kind === 'header')) {
      throw new Stop('import_misplaced', 'the first line, and no other, must have the kind offerbook_export');
    }
    switch (line.kind) {
      case 'header':
        if (line.version === EXPORT_VERSION) return undefined;
        throw new Stop(
          'import_newer',
          `format version ${line.version} is not supported; this release reads version ${EXPORT_VERSION}`,
        );
      case 'merchant':
        return this.#beginMerchant(line.merchant);
      case 'environment':
        return this.#beginEnvironment(line.environment);
      case 'sku':
        return this.#takeSku(line.offer);
      case 'group':
        return this.#takeGroup(line.group);
      case 'end':
        return this.#end(line.counts);
      default:
        return this.#takeSetup(line);
    }
  }

  /** Erases an unfinished merchant, unless another command owns it. */
  async abandon(): Promise<void> {
    if (this.#merchant === undefined) return;
    const { merchant, accountIds, held } = this.#merchant;
    this.#merchant = undefined;
    await held.release();
    try {
      await eraseImported(this.#context, merchant.merchantId, accountIds);
    } catch (error) {
      if (!(error instanceof ImportOvertakenError)) throw error;
    }
  }

  async #beginMerchant(merchant: MerchantRecord): Promise<void> {
    await this.#finishMerchant();
    const { moves } = this.#context;
    const { merchantId } = merchant;
    let begun = await moves.beginImport(merchant);
    if (begun === 'unfinished' && (await eraseUnfinished(this.#context, merchantId)) !== 'busy') {
      begun = await moves.beginImport(merchant);
    }
    if (begun === 'unfinished') throw new Stop('import_busy', `another command is importing merchant ${merchantId}`);
    if (begun === 'exists') throw new Stop('merchant_exists', `merchant ${merchantId} already exists`);
    const held = new HeldImport(moves, merchantId);
    this.#merchant = { merchant, accountIds: begun, accounts: new Map(), held };
    this.counts.merchants++;
  }

  async #beginEnvironment(environment: Environment): Promise<void> {
    if (this.#merchant === undefined) throw new Stop('import_misplaced', 'a merchant line must come before this line');
    const { accounts, accountIds } = this.#merchant;
    if (accounts.has(environment)) throw new Stop('import_repeated', `environment ${environment} comes twice`);
    await this.#flush();
    this.#account = {
      accountId: accountIds[environment],
      credentials: [],
      nodes: [],
      returnLocationIds: [],
      stage: 'setup',
    };
    accounts.set(environment, this.#account);
  }

  #takeSetup(line: Extract<ImportLine, { kind: 'credential' | 'node' | 'return_location' }>): undefined {
    const account = this.#accountAt('setup');
    switch (line.kind) {
      case 'credential':
        account.credentials.push(line.credential);
        break;
      case 'node':
        account.nodes.push(line.node);
        break;
      case 'return_location':
        account.returnLocationIds.push(line.locationId);
    }
    const size = account.credentials.length + account.nodes.length + account.returnLocationIds.length;
    if (size > SETUP_LINES_MAX)
      throw new Stop('import_misplaced', `more than ${SETUP_LINES_MAX} lines of account settings`);
  }

  #takeSku(offer: OfferRecord): Promise<void> | undefined {
    this.#accountAt('skus');
    this.#offers.push([offer, this.counts.lines]);
    this.counts.skus++;
    this.#rows += 1 + offer.inventory.nodes.length + offer.document.length / DOCUMENT_CHARACTERS_A_ROW;
    return this.#rows < this.#context.pace.slice_rows_max ? undefined : this.#flush();
  }

  async #takeGroup(group: GroupRecord): Promise<void> {
    this.#accountAt('groups');
    if (this.#offers.length > 0) await this.#flush();
    this.#groups.push([group, this.counts.lines]);
    this.#rows += 1 + group.childrenSkus.length;
    if (this.#rows >= this.#context.pace.slice_rows_max) await this.#flush();
  }

  async #end(expected: ExportCounts): Promise<void> {
    for (const what of ['merchants', 'skus', 'lines'] as const) {
      if (this.counts[what] === expected[what]) continue;
      throw new Stop(
        'import_incomplete',
        `the last line says "${what}": ${expected[what]}, but the file has ${this.counts[what]}`,
      );
    }
    await this.#finishMerchant();
    this.isComplete = true;
  }

  async #finishMerchant(): Promise<void> {
    if (this.#merchant === undefined) return;
    await this.#flush();
    const { merchant, accounts, held } = this.#merchant;
    const written = await this.#context.moves.finishImport(merchant, [...accounts.values()]);
    if (written !== 'stored') {
      throw new Stop(
        'import_repeated',
        `the database already has the key ${written.taken} of merchant ${merchant.merchantId}`,
      );
    }
    await held.release();
    this.finished.push(merchant.merchantId);
    this.#merchant = undefined;
    this.#account = undefined;
  }

  #accountAt(stage: OpenAccount['stage']): OpenAccount {
    const account = this.#account;
    if (account === undefined) throw new Stop('import_misplaced', 'an environment must come before this line');
    if (STAGES.indexOf(stage) < STAGES.indexOf(account.stage)) {
      throw new Stop(
        'import_misplaced',
        'keys, nodes and return locations come first, then SKUs, then variation groups',
      );
    }
    account.stage = stage;
    return account;
  }

  async #flush(): Promise<void> {
    const { moves, pace } = this.#context;
    const account = this.#account;
    const [offers, groups] = [this.#offers, this.#groups];
    this.#offers = [];
    this.#groups = [];
    this.#rows = 0;
    if (account === undefined) return;
    if (offers.length > 0) {
      const written = await pace.slice(() => moves.importOffers(account.accountId, offers.map(recordOf)));
      if (written !== 'stored') {
        const { repeated } = written;
        const found = offers.findLast(([{ skuId }]) => skuId === repeated);
        throw new Stop('import_repeated', `SKU ${JSON.stringify(repeated)} comes twice`, found?.[1]);
      }
    }
    if (groups.length > 0) {
      const written = await pace.slice(() => moves.importGroups(account.accountId, groups.map(recordOf)));
      if (written !== 'stored') {
        const { refused } = written;
        const found = groups.findLast(
          ([{ skuId, childrenSkus }]) => skuId === refused || childrenSkus.includes(refused),
        );
        const text = `SKU ${JSON.stringify(refused)} of the group does not exist, or is in another group`;
        throw new Stop('import_group', text, found?.[1]);
      }
    }
  }
}

function recordOf<T>([record]: Numbered<T>): T {
  return record;
}

const STAGES = ['setup', 'skus', 'groups'] as const;

/** More than the nodes, return locations and overlapping keys of one account together. */
const SETUP_LINES_MAX = 10_000;

/** A slice counts this many characters as one row, because writing 1.4 KB takes about as long as a row without a document. */
const DOCUMENT_CHARACTERS_A_ROW = 1500;

/** Two renewals may fail before the lease expires and another command may take over the import. */
const SIGNS_PER_LEASE = 3;

/** Renews the lease of an import while its lines are read, however long the next line takes. */
class HeldImport {
  readonly #timer: NodeJS.Timeout;
  #sign: Promise<void> = Promise.resolve();

  constructor(moves: Pick<MoveStore, 'renewImport'>, merchantId: string) {
    this.#timer = setInterval(() => {
      // A failed renewal is ignored, because the next slice also checks the mark and reports the problem.
      this.#sign = moves.renewImport(merchantId).catch(() => {});
    }, IMPORT_LEASE_MS / SIGNS_PER_LEASE);
  }

  /** Resolves when no more calls to the store are pending. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sign;
  }
}
