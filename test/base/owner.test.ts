// Which folders are ours: those that shotlist made for this user, wherever they are moved to, and no others.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { adoptFolder, claimFolder, ownershipOf } from '../../src/base/owner.ts';
import { userFolder } from '../../src/base/user-folder.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'shotlist-owner-'));
  vi.stubEnv('XDG_STATE_HOME', join(root, 'state'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });
});

describe('a folder is', () => {
  test('ours once it was claimed, also after it was moved', () => {
    const folder = join(root, 'a/.shotlist');
    expect(claimFolder(folder)).toBe('absent');
    expect(ownershipOf(folder)).toBe('ours');
    writeFileSync(join(folder, 'more'), 'x');
    renameSync(join(root, 'a'), join(root, 'b'));
    expect(ownershipOf(join(root, 'b/.shotlist'))).toBe('ours');
  });

  test('ours when it stands at the same place in another file system', () => {
    const folder = join(root, 'a');
    claimFolder(folder);
    cpSync(folder, join(root, 'copy'), { recursive: true });
    rmSync(folder, { recursive: true });
    renameSync(join(root, 'copy'), folder);
    expect(ownershipOf(folder)).toBe('ours');
  });

  test('foreign when it was copied elsewhere, came with files, or its marker was made with another secret', () => {
    const folder = join(root, 'a');
    claimFolder(folder);
    cpSync(folder, join(root, 'copy'), { recursive: true });
    expect(ownershipOf(join(root, 'copy'))).toBe('foreign');
    mkdirSync(join(root, 'planted'));
    writeFileSync(join(root, 'planted/service.sqlite'), '');
    expect(claimFolder(join(root, 'planted'))).toBe('foreign');
    expect(ownershipOf(join(root, 'planted'))).toBe('foreign');
    vi.stubEnv('XDG_STATE_HOME', join(root, 'other'));
    writeFileSync(join(folder, 'more'), 'x');
    expect(ownershipOf(folder)).toBe('foreign');
  });

  test('a link, wherever it leads', () => {
    claimFolder(join(root, 'a'));
    symlinkSync(join(root, 'a'), join(root, 'link'));
    symlinkSync(join(root, 'nowhere'), join(root, 'broken'));
    expect(claimFolder(join(root, 'link'))).toBe('link');
    expect(claimFolder(join(root, 'broken'))).toBe('link');
  });

  test('empty when a kill cut its marker off', () => {
    mkdirSync(join(root, 'a'));
    writeFileSync(join(root, 'a/owner.json'), '{"id":"');
    writeFileSync(join(root, 'a/owner.json.0123456789abcdef'), '');
    expect(claimFolder(join(root, 'a'))).toBe('empty');
    expect(ownershipOf(join(root, 'a'))).toBe('ours');
  });

  test('ours when the user says so', () => {
    mkdirSync(join(root, 'a'));
    writeFileSync(join(root, 'a/kept'), 'x');
    writeFileSync(join(root, 'a/owner.json'), '{}');
    adoptFolder(join(root, 'a'));
    expect(ownershipOf(join(root, 'a'))).toBe('ours');
  });
});

test('a folder may belong to several users, each by a marker of their own', () => {
  const folder = join(root, 'a');
  claimFolder(folder);
  vi.stubEnv('XDG_STATE_HOME', join(root, 'other'));
  writeFileSync(join(folder, 'more'), 'x');
  adoptFolder(folder);
  expect(ownershipOf(folder)).toBe('ours');
  cpSync(folder, join(root, 'copy'), { recursive: true });
  expect(ownershipOf(join(root, 'copy'))).toBe('foreign');
  vi.stubEnv('XDG_STATE_HOME', join(root, 'third'));
  expect(ownershipOf(folder)).toBe('foreign');
  vi.stubEnv('XDG_STATE_HOME', join(root, 'state'));
  expect(ownershipOf(folder)).toBe('ours');
});

test('a marker that is a link is none', () => {
  claimFolder(join(root, 'a'));
  mkdirSync(join(root, 'b'));
  symlinkSync(join(root, 'a/owner.json'), join(root, 'b/owner.json'));
  writeFileSync(join(root, 'b/more'), 'x');
  expect(ownershipOf(join(root, 'b'))).toBe('foreign');
});

test('the secret is for the user alone', () => {
  claimFolder(join(root, 'a'));
  expect(statSync(join(userFolder(), 'owner-key')).mode & 0o777).toBe(0o600);
  expect(statSync(userFolder()).mode & 0o777).toBe(0o700);
});
