/** Port of the review policies an operator sets, and of the rules in force. */
import type { Policy } from '../../domain/review/policies.ts';

/** A picture that stands for no picture, by the hash of domain or review code that compares them. */
export interface Placeholder {
  /** Hexadecimal. */
  readonly hash: string;
  readonly note: string;
}

/** What the operator decides. Each change moves the set-up version and begins a sweep of all accounts. */
export interface PolicyStore {
  /** In order of kind, then of what they name. */
  listPolicies(): Promise<readonly Policy[]>;
  /**
   * Brands are told apart by brand-key.ts; the first spelling stays. A grant adds to the merchants that a restricted brand
   * is granted to already; `exists` when it adds none.
   */
  addPolicy(policy: Policy): Promise<'stored' | 'exists'>;
  /** Of a restricted brand only the grants to the merchants given, while there are such; without any, all of it. */
  removePolicy(policy: Policy): Promise<'stored' | 'unknown'>;
  /** In order of hash. */
  listPlaceholders(): Promise<readonly Placeholder[]>;
  addPlaceholder(placeholder: Placeholder): Promise<'stored' | 'exists'>;
  removePlaceholder(hash: string): Promise<'stored' | 'unknown'>;
  /**
   * Names the rules that stand in the program and its settings: those noted last are in force. Changes something only where
   * others were noted before.
   */
  noteRules(rules: string): Promise<void>;
  /** Those in force; undefined: none were noted yet. */
  readRules(): Promise<string | undefined>;
  /**
   * A process that goes by these rules lives. Says whether they are in force, and how often that was said of those that
   * are. No change of the set-up.
   */
  holdRules(rules: string): Promise<{ readonly inForce: boolean; readonly holds: number }>;
}
