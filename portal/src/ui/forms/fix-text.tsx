/** Says in words what a fix of an offer changes: the values before and after, and why. */
import { Text } from '@mantine/core';
import type { Fix } from '../../api/offer.ts';
import { shortText } from './value-text.ts';

export function FixText({ fix: { patch, before, text } }: { readonly fix: Fix }) {
  const step = patch.at(-1) as { readonly path: string; readonly value?: unknown } | undefined;
  const [, name = ''] = step?.path.split('/') ?? [];
  const isCategory = name === 'marketplace_browse_node_id';
  return (
    <>
      {/* The text has the path of the category, which says more than its id. */}
      {!isCategory && (
        <Text size="sm" className="anywhere">
          {shortText(name, before)} → {shortText(name, step?.value)}
        </Text>
      )}
      <Text size="xs" c="dimmed" className="anywhere">
        {isCategory ? text.replace(/ \(\d+\)\.$/, '.') : text}
      </Text>
    </>
  );
}
