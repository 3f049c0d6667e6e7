#!/usr/bin/env node
// Starts the command line with a Node.js that can run it: this one, or the packaged one that npm installed. It is plain
// JavaScript, because it must also start on an older Node.js.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installText, isNewEnough, needText, nodeAdvice, packagedNode } from '../scripts/packaged-node.mjs';

if (isNewEnough(process.versions.node)) await import('../src/cli/main.mjs');
else runAgainWith(packagedNode());

function runAgainWith(node) {
  if (node === undefined) {
    console.error(`${needText} ${nodeAdvice(process.platform, process.arch)}`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal also sends Ctrl+C to the child. If it were passed on, the child would get it twice, and the second ends it immediately.
  const isTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  process.on('SIGINT', () => isTerminal || child.kill('SIGINT'));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  child.on('error', (error) => {
    console.error(`${needText} The packaged ${node} does not start here (${error.code}). ${installText}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
