// A job for GitLab CI: runs what is due and pushes the state file.
import { stringify } from 'yaml';
import { pushed } from './github-actions.ts';
import {
  globOf,
  inWords,
  madeBy,
  scheduleArguments,
  shellCommand,
  storeVariables,
  trustArguments,
  type UnitFacts,
} from './unit.ts';

export function gitlabJob(facts: UnitFacts): string {
  const { name, state, output, service, variables, store, schedule, rehearsal } = facts;
  const needed = [
    ...(service === undefined && !rehearsal ? ['SHOTLIST_BASE_URL'] : []),
    ...(rehearsal ? [] : ['SHOTLIST_API_KEY', 'SHOTLIST_PUSH_TOKEN', ...storeVariables(store)]),
    ...variables,
  ];
  const trust = trustArguments(facts);
  const remote = 'https://shotlist:$SHOTLIST_PUSH_TOKEN@$CI_SERVER_HOST/$CI_PROJECT_PATH.git';
  const job = {
    [`shotlist ${name}`]: {
      image: 'node:24',
      rules: [{ if: '$CI_PIPELINE_SOURCE == "schedule"' }],
      resource_group: `shotlist-${name}`,
      interruptible: false,
      timeout: '6h',
      ...(service === undefined || rehearsal
        ? {}
        : { variables: { SHOTLIST_BASE_URL: service.replaceAll('$', '$$$$') } }),
      before_script: [
        'npm ci',
        ...(trust === undefined ? [] : [`npx ${shellCommand(['shotlist', ...trust])}`]),
        'git config user.name shotlist',
        'git config user.email "shotlist@noreply.$CI_SERVER_HOST"',
        'git checkout --quiet -B "$CI_COMMIT_BRANCH" "$CI_COMMIT_SHA"',
      ],
      script: [`npx ${shellCommand(['shotlist', ...scheduleArguments(facts, '--once')])}`],
      // A rehearsal leaves nothing for git.
      ...(rehearsal
        ? {}
        : {
            after_script: [
              `git remote set-url origin "${remote}"`,
              'git branch --quiet --set-upstream-to "origin/$CI_COMMIT_BRANCH"',
              ...pushed(state, name).trim().split('\n'),
            ],
          }),
      ...(store === undefined
        ? { artifacts: { when: 'always', paths: [globOf(output)], expire_in: '30 days' } }
        : {}),
    },
  };
  const masked = rehearsal
    ? ''
    : ' (masked; SHOTLIST_PUSH_TOKEN is a project access\n#   token that may write to the repository).';
  return `# ${madeBy(facts, 'gitlab-ci')}
#
# Add this job to .gitlab-ci.yml. Then, in the project:
${needed.length === 0 ? '' : `# - Settings, CI/CD, Variables: ${needed.join(', ')}${masked}\n`}# - Build, Pipeline schedules: ${schedule.cron.map((cron) => `"${cron}"`).join(' and ')} in the time zone ${schedule.timeZone}.
# The pipeline is due: ${inWords(schedule)}. A start at which nothing is due ends at once.
${stringify(job, { lineWidth: 0 })}`;
}
