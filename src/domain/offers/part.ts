/** Defines a part of an offer: what every part says about itself, how a write changes it, and what is stored. `parts.ts` lists them. */
import type { Account } from '../account.ts';
import type { BodyChecks } from '../bodies/all-bodies.ts';
import type { BodyCheck } from '../bodies/body-check.ts';
import type { PartBody } from '../bodies/part-bodies.ts';
import type { SentBody } from '../body-text.ts';
import type { Int64 } from '../int64.ts';
import type { Names } from '../names.ts';
import type { Accepted, Refused } from '../outcome.ts';
import type { Problem, ProblemCode, Report } from '../problem.ts';
import type { OfferFacts } from '../review/facts.ts';
import type { Scope } from '../setup/key-scopes.ts';
import type { PartFileType } from '../vocabulary/file-types.ts';
import type { ClearablePart, OfferPart } from '../vocabulary/offer-parts.ts';
import type { MemberFacts, RefusedChildren } from './variation-group.ts';

/** Everything that is true of one part. Functions get values of this part only. */
export interface Part<Name extends OfferPart = OfferPart> {
  readonly name: Name;
  /** The history and the feed store it, so never reuse one. */
  readonly code: number;
  readonly fileType: PartFileType;
  /** The path of the call that reads it, below the path of the SKU. */
  readonly path: string;
  /** The read by key that returns it. */
  readonly source: Source;
  /** Set if files of this type wait for earlier uploads of SKUs, because their rows are checked against the SKU. */
  readonly isBehindUploads?: true;
  /** Set if its writes hardly make the database grow, so that they are accepted even while disk space is low. */
  readonly isSmall?: true;
  /** The scope that an API key needs to write it. */
  readonly scope: Scope;
  /** Whether `PUT …/offer` writes it. */
  readonly isInOffer: boolean;
  /** How a read is refused if the part is not set. Absent if every offer has the part. */
  readonly unset?: readonly [code: ProblemCode, text: string];
  /** The body that clears the part; absent if no call can. */
  readonly clearingBody?: object;
  /** Only for parts that can be cleared: the field of the body whose JSON is stored, and its name in the line of a SKU in an export. */
  readonly stored?: { readonly field: string; readonly exportField: string };
  /** The rules that need data or settings of a server, for a check of a file without one. */
  readonly serverRules: readonly string[];

  /** Selects the check of the body. By default, the check with the name of the part. */
  checkBody?(bodies: BodyChecks, body: SentBody): ReturnType<BodyCheck<UploadOf<Name>>>;
  /** Reports broken rules about account settings. */
  checkSettings?(upload: UploadOf<Name>, account: Account, names: Names, report: Report): void;
  /** `json` is the text of the upload, if it was sent as `JSON.stringify` writes it. */
  toWrite(skuId: string, upload: UploadOf<Name>, json?: string): WriteOf<Name>;
  /** Returns the check of the other SKUs that the write names. */
  checkMembers?(upload: UploadOf<Name>, write: WriteOf<Name>, ignored: readonly string[]): MembersCheck;

  /** Returns what is stored; null if the part is not set. */
  valueIn(stored: SourceOf<Name>): ReadingOf<Name> | null;
  /** Returns the old value of a history record. */
  decode(amount: number | null, text: string | null): ValueOf<Name> | string | null;
  /** Returns the value after a write. Absent if value or tag depend on stored data too; then `changesOf` lists the changes. */
  written?(write: WriteOf<Name>): ValueOf<Name> | null;
  changesOf?(write: WriteOf<Name>, stored: StoredParts): readonly PartChange[];
  /** Returns the offer after a write, for a review. Absent if reviews do not depend on the part. */
  applied?<Facts extends ReviewedParts>(offer: Facts, write: WriteOf<Name>): Facts;
  /** Returns the sequence numbers of the last writes to what the write names. By default, the number of the part. */
  numbersOf?(write: WriteOf<Name>, numbers: StockNumbers): readonly number[];

  /** Returns the text that the tag is a hash of; null if the part has no tag. */
  taggedText(value: ValueOf<Name>): string | null;
  /** Returns the tag if it is stored. */
  storedTag?(stored: SourceOf<Name>): string;
  /** Returns JSON text: the body of the call that writes the part, unless `bodyOf` returns the body. */
  json(value: ValueOf<Name>, names: Names): string;
  bodyOf?(value: ValueOf<Name>): object;
}

/** The input of the checks. */
export interface CheckContext {
  readonly bodies: BodyChecks;
  readonly names: Names;
}

export interface RefusedWrite extends Refused {
  /** Whether "SKU not found" and "SKU is archived" come before the broken rule, and are reported instead if they apply. */
  readonly behindSkuState: boolean;
}

export interface AcceptedWrite extends Accepted<PartWrite> {
  /** Only for groups: returns the problems if the write finds unknown or archived children. */
  readonly problemsOf?: ((refused: RefusedChildren) => readonly Problem[]) | undefined;
}

export type CheckedWrite = AcceptedWrite | RefusedWrite;

/** A check that needs data of other SKUs: `settle` decides once they are read. */
export interface MembersCheck {
  readonly skuIds: readonly string[];
  readonly refinements: readonly Int64[];
  readonly settle: (members: readonly (MemberFacts & { readonly archived: boolean })[]) => CheckedWrite;
}

type Writes = { readonly [Name in OfferPart]: Extract<PartWrite, { readonly part: Name }> };
export type WriteOf<Name extends OfferPart> = Writes[Name];
type Uploads = { readonly [Name in OfferPart]: PartBody<Name> };
export type UploadOf<Name extends OfferPart> = Uploads[Name];

/** JSON text of each part that can be cleared. */
type ClearableValues = { readonly [Name in ClearablePart]: string };

interface Values extends ClearableValues {
  /** JSON text of the uploaded fields. */
  readonly sku: string;
  readonly price: Pick<StoredPrice, 'price' | 'nodes'>;
  readonly inventory: { readonly nodes: readonly NodeQuantity[] };
  readonly archive: boolean;
  readonly variation: GroupUpload;
}

/** The value of a part, as the history shows it. */
export type ValueOf<Name extends OfferPart> = Values[Name];
/** The value of a part with its times. */
interface Readings extends Values {
  readonly price: StoredPrice;
  readonly inventory: InventoryReading;
}
export type ReadingOf<Name extends OfferPart> = Readings[Name];

/** What the reads by key return. */
export interface StoredParts {
  readonly offer?: ShownOffer | undefined;
  readonly price?: StoredPrice | undefined;
  readonly inventory?: InventoryReading | undefined;
}
export type Source = keyof StoredParts;
type Sources = {
  readonly [Name in OfferPart]: Name extends 'price'
    ? StoredPrice
    : Name extends 'inventory'
      ? InventoryReading
      : ShownOffer;
};
export type SourceOf<Name extends OfferPart> = Sources[Name];

/** The parts that reviews depend on. */
export type ReviewedParts = Omit<OfferFacts, 'document'> & { readonly document: string };

/** The number of the last time all stock was set to zero, and the number of each node that was written since. */
export interface StockNumbers {
  readonly inventory: number;
  readonly nodes: ReadonlyMap<string, number>;
}

interface Changed<Name extends OfferPart, Value> {
  readonly part: Name;
  readonly before: Value;
  readonly after: Value;
}

export interface NodeChange {
  readonly nodeId: string;
  readonly before: number | null;
  readonly after: number | null;
}

type Changes = { readonly [Name in Exclude<OfferPart, 'inventory'>]: Changed<Name, Values[Name] | null> };

/** A change to one part: its value before and after, null if it was or is not set, or the nodes whose quantity the write changed. */
export type PartChange = Changes[keyof Changes] | { readonly part: 'inventory'; readonly nodes: readonly NodeChange[] };

export interface NodePrice {
  readonly fulfillment_node_id: string;
  readonly fulfillment_node_price: number;
}

export interface NodeQuantity {
  readonly fulfillment_node_id: string;
  readonly quantity: number;
}

export interface GroupUpload {
  /** JSON text of the list of attribute ids. */
  readonly refinements: string;
  readonly title: string | null;
  /** In the order sent, without the parent and without duplicates. */
  readonly childrenSkus: readonly string[];
}

/** A write of one part of an offer. */
export type PartWrite = { readonly skuId: string } & (
  | { readonly part: 'sku'; readonly document: string }
  /** Replaces the price with its node prices. */
  | { readonly part: 'price'; readonly price: number; readonly nodes: readonly NodePrice[] }
  /** Changes only the given nodes; each node at most once. */
  | { readonly part: 'inventory'; readonly quantities: readonly NodeQuantity[] }
  /** A change to the flag also sets the quantity of every node to zero, with a new time. */
  | { readonly part: 'archive'; readonly archived: boolean }
  /** Replaces the group of this parent. Members leave their former group, and a member's own group ends. */
  | { readonly part: 'variation'; readonly group: GroupUpload }
  | ClearableWrite
);

/** A row of a file. Several parts are written together or not at all; they are in the order of `PARTS`, and at least one. */
export type FileRow = PartWrite | OfferRow;

export interface OfferRow {
  readonly skuId: string;
  readonly part: 'offer';
  readonly parts: readonly [PartInOffer, ...PartInOffer[]];
}

/** A part that can be written together with others. */
export type PartInOffer = Exclude<PartWrite, { readonly part: 'archive' | 'variation' }>;

/** Replaces a part with JSON text; null clears it. */
export type ClearableWrite = {
  [Name in ClearablePart]: { readonly part: Name; readonly text: string | null };
}[ClearablePart];

/** `unknown` and `archived`: nothing was changed. */
export type WriteOutcome = 'stored' | 'unknown' | 'archived';

/** `refused`: these children cannot be in a group; nothing was changed. */
export type GroupOutcome = WriteOutcome | { readonly refused: RefusedChildren };

export interface StoredPrice {
  readonly price: number;
  readonly nodes: readonly NodePrice[];
  readonly updatedMs: number;
}

export interface StoredInventory {
  /** In order of node id, by code point. */
  readonly nodes: readonly (NodeQuantity & { readonly updatedMs: number })[];
  /** When all stock was last set to zero, or if it never was, when the SKU was first uploaded. */
  readonly stampMs: number;
}

export interface InventoryReading {
  readonly nodes: StoredInventory['nodes'];
  /** Null if there are nodes: each node has its own time, and reading this field would cost a lookup. */
  readonly stampMs: number | null;
}

/** The data that a SKU read returns. */
export interface ShownOffer {
  /** JSON text of the uploaded fields. */
  readonly document: string;
  /** `textTag` of the document, stored because hashing takes a tenth of a read. */
  readonly documentTag: string;
  readonly archived: boolean;
  /** JSON text of each part that can be cleared; null: it is not set. */
  readonly clearable: Readonly<Record<ClearablePart, string | null>>;
  /** The group in which this SKU is the parent. */
  readonly group: GroupUpload | null;
}
