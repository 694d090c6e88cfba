// A workflow for GitHub Actions: runs what is due and pushes the state file.
import { stringify } from 'yaml';
import {
  globOf,
  inWords,
  madeBy,
  scheduleArguments,
  shellCommand,
  storeVariables,
  trustArguments,
  type UnitFacts,
  wakeTimes,
} from './unit.ts';

export function githubWorkflow(facts: UnitFacts): string {
  const { name, state, output, service, variables, store, rehearsal } = facts;
  const trust = trustArguments(facts);
  const secret = (key: string): [string, string] => [key, `\${{ secrets.${key} }}`];
  const variable = (key: string): [string, string] => [key, `\${{ vars.${key} }}`];
  const env = Object.fromEntries([
    ...(rehearsal
      ? []
      : [
          service === undefined
            ? variable('SHOTLIST_BASE_URL')
            : (['SHOTLIST_BASE_URL', service] as const),
          secret('SHOTLIST_API_KEY'),
        ]),
    ...variables.map(variable),
    ...(rehearsal ? [] : storeVariables(store).map(secret)),
  ]);
  const identity = {
    GIT_AUTHOR_NAME: 'shotlist',
    GIT_AUTHOR_EMAIL: 'shotlist@users.noreply.github.com',
    GIT_COMMITTER_NAME: 'shotlist',
    GIT_COMMITTER_EMAIL: 'shotlist@users.noreply.github.com',
  };
  const results =
    store === undefined
      ? [
          {
            name: 'Keep the results',
            if: 'always()',
            uses: 'actions/upload-artifact@v4',
            with: {
              name: `${name}-\${{ github.run_id }}`,
              path: globOf(output),
              'if-no-files-found': 'ignore',
            },
          },
        ]
      : [];
  // A rehearsal leaves nothing for git.
  const push = rehearsal
    ? []
    : [{ name: 'Push the state file', if: 'always()', run: pushed(state, name) }];
  const workflow = {
    name: `shotlist ${name}`,
    on: {
      schedule: wakeTimes(facts, () => 0).map((cron) => ({ cron })),
      workflow_dispatch: {},
    },
    permissions: { contents: 'write' },
    concurrency: { group: `shotlist-${name}`, 'cancel-in-progress': false },
    jobs: {
      run: {
        'runs-on': 'ubuntu-latest',
        'timeout-minutes': 350,
        env: identity,
        steps: [
          { uses: 'actions/checkout@v4' },
          { uses: 'actions/setup-node@v4', with: { 'node-version': '24' } },
          { run: 'npm ci' },
          ...(trust === undefined ? [] : [{ run: `npx ${shellCommand(['shotlist', ...trust])}` }]),
          {
            name: 'Run what is due',
            run: `npx ${shellCommand(['shotlist', ...scheduleArguments(facts, '--once')])}`,
            env,
          },
          ...results,
          ...push,
        ],
      },
    },
  };
  return `# ${madeBy(facts, 'github-actions')}
#
# Save this file as .github/workflows/shotlist-${name}.yml. Add the secrets and variables that it names to the repository:
# Settings, Secrets and variables, Actions. shotlist must be a dependency in package.json.
# The pipeline is due: ${inWords(facts.schedule)}. GitHub starts workflows in UTC; a start at which nothing is due ends at once.
${stringify(workflow, { lineWidth: 0 })}`;
}

/** Also after a run that was killed: what the journal holds is committed, and joins what others have pushed. */
export const pushed = (state: string, name: string): string =>
  [
    'npx shotlist git-setup',
    shellCommand(['git', '--literal-pathspecs', 'add', '--', state]),
    `git diff --cached --quiet || ${shellCommand(['git', 'commit', '--quiet', '-m', `shotlist: ${name}`])}`,
    'git pull --quiet --no-rebase',
    'git push --quiet',
    '',
  ].join('\n');
