#!/usr/bin/env node
// Starts shotlist, or says which Node.js it needs: this file alone is read by versions that cannot read the others.
'use strict';

const { engines } = require('../package.json');

const numbers = (version) => version.replace(/^\D+/, '').split('.').map(Number);
const [major, minor] = numbers(engines.node);
const [ownMajor, ownMinor] = numbers(process.version);

if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) {
  import('../dist/runner/cli/main.js');
} else {
  process.stderr.write(
    `shotlist needs Node.js ${major}.${minor} or later, and this is Node.js ${process.version.slice(1)}: install a newer version from https://nodejs.org and run the command again.\n`,
  );
  process.exitCode = 2;
}
