#!/usr/bin/env node
// Starts shotlist, or says which Node.js it needs: this file alone is read by versions that cannot read the others.
'use strict';

const { engines } = require('../package.json');

const numbers = (version) => version.replace(/^\D+/, '').split('.').map(Number);
const [major, minor] = numbers(engines.node);
const [ownMajor, ownMinor] = numbers(process.version);

/**
 * Where compiled code is kept, so that the next command starts faster: below the user's own folder of caches, because
 * others could leave code for us in the default folder of Node.js, /tmp. Not below the working folder, which may be a
 * stranger's. Undefined: nowhere.
 */
function compiledCode() {
  const { homedir } = require('node:os');
  const { isAbsolute, join, relative } = require('node:path');
  try {
    // The XDG specification: a relative path is invalid and must be ignored.
    const given = process.env.XDG_CACHE_HOME || '';
    const caches = isAbsolute(given) ? given : join(homedir(), '.cache');
    const near = relative(process.cwd(), caches);
    const isOutside = near.startsWith('..') || isAbsolute(near);
    return isAbsolute(caches) && isOutside ? join(caches, 'shotlist', 'compiled') : undefined;
  } catch (error) {
    // The system does not know the user, who then has no home; or the working folder was removed.
    if (error.code === 'ERR_SYSTEM_ERROR' || error.code === 'ENOENT') return undefined;
    throw error;
  }
}

if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) {
  const folder = compiledCode();
  if (folder !== undefined) require('node:module').enableCompileCache(folder);
  void import('../dist/cli/main.js');
} else {
  process.stderr.write(
    `shotlist needs Node.js ${major}.${minor} or later, and this is Node.js ${process.version.slice(1)}: install a newer version from https://nodejs.org and run the command again.\n`,
  );
  process.exitCode = 2;
}
