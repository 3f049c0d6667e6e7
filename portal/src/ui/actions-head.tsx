/** Header cell of a button column; its label is for screen readers only. */
import { Table, VisuallyHidden } from '@mantine/core';

export function ActionsHead() {
  return (
    <Table.Th>
      <VisuallyHidden>Actions</VisuallyHidden>
    </Table.Th>
  );
}
