/** In charge of the head of a column of buttons, which needs no words for people who see them. */
import { Table, VisuallyHidden } from '@mantine/core';

export function ActionsHead() {
  return (
    <Table.Th>
      <VisuallyHidden>Actions</VisuallyHidden>
    </Table.Th>
  );
}
