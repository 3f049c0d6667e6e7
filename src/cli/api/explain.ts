/** Rewrites a problem so that it names the option and its value instead of the field. */
import type { Problem } from '../../domain/problem.ts';
import { printable } from '../table.ts';

const WORDS: Readonly<Record<string, string>> = {
  merchant_id: '<merchant-id>',
  name: '--name',
  time_to_return: '--time-to-return',
  time_to_return_days: '--time-to-return',
  return_shipping_methods: '--return-method',
  overlap_seconds: '--overlap in seconds',
  fulfillment_node_id: '<node-id>',
  rate_kind: '--rates',
  shipping_methods: '--method',
  service_levels: '--level',
  return_location_id: '<location-id>',
  email: '<email>',
  role: '--role',
  merchant: '--merchant',
  merchants: '--merchant',
  note: '--note',
  code: '<code>',
  title: '--title',
  category: '--category',
};

export function explain(problem: Problem, sent: Readonly<Record<string, unknown>>): string {
  const [, field = '', index] = problem.field.split('/');
  const word = WORDS[field];
  if (word === undefined) return printable(problem.message);
  const value = Array.isArray(sent[field]) ? sent[field][Number(index)] : sent[field];
  const text = problem.message.slice(problem.message.indexOf(': ') + 2);
  return printable(value === undefined ? `${word}: ${text}` : `${word} ${JSON.stringify(value)}: ${text}`);
}
