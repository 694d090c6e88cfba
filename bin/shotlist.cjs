#!/usr/bin/env node
// Starts shotlist, or says which Node.js it needs: this file alone is read by versions that cannot read the others.
'use strict';

const { engines } = require('../package.json');

const numbers = (version) => version.replace(/^\D+/, '').split('.').map(Number);
const [major, minor] = numbers(engines.node);
const [ownMajor, ownMinor] = numbers(process.version);

if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) {
  // Compiled code is kept in the user's own folder, so the next command starts faster. Not in the default folder of
  // Node.js, /tmp, where others could leave code for us.
  const { homedir } = require('node:os');
  const { join } = require('node:path');
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  require('node:module').enableCompileCache(join(caches, 'shotlist', 'compiled'));
  void import('../dist/cli/main.js');
} else {
  process.stderr.write(
    `shotlist needs Node.js ${major}.${minor} or later, and this is Node.js ${process.version.slice(1)}: install a newer version from https://nodejs.org and run the command again.\n`,
  );
  process.exitCode = 2;
}
