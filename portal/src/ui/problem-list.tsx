/** Lists problems that belong to no form field. */
import { Alert, List } from '@mantine/core';
import type { Problem } from '../api/problem.ts';

interface ProblemListProps {
  readonly problems: readonly Problem[];
  readonly title?: string;
}

export function ProblemList({ problems, title = "Couldn't save" }: ProblemListProps) {
  if (problems.length === 0) return null;
  return (
    <Alert color="red" role="alert" title={title}>
      <List size="sm">
        {problems.map(({ message }) => (
          <List.Item key={message}>{message}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
