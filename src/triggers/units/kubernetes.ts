// A CronJob for Kubernetes. Its volume holds a clone of the repository, with the state file and the results.
import { stringify } from 'yaml';
import {
  inWords,
  madeBy,
  scheduleArguments,
  storeVariables,
  trustArguments,
  type UnitFacts,
  wakeTimes,
} from './unit.ts';

export function kubernetesCronJob(facts: UnitFacts): string {
  const { service, variables, store, schedule, rehearsal } = facts;
  const name = `shotlist-${label(facts.name)}`;
  const [only, ...others] = schedule.cron;
  const times =
    only !== undefined && others.length === 0
      ? [{ suffix: '', schedule: only, timeZone: schedule.timeZone }]
      : wakeTimes(facts, () => 0).map((time, index) => ({
          suffix: `-${index + 1}`,
          schedule: time,
          timeZone: 'Etc/UTC',
        }));
  const secret = (key: string) => ({
    name: key,
    valueFrom: { secretKeyRef: { name, key } },
  });
  const env = [
    ...(rehearsal
      ? []
      : [
          service === undefined
            ? secret('SHOTLIST_BASE_URL')
            : { name: 'SHOTLIST_BASE_URL', value: literal(service) },
          secret('SHOTLIST_API_KEY'),
          ...storeVariables(store).map(secret),
        ]),
    ...variables.map(secret),
    { name: 'HOME', value: '/tmp' },
  ];
  const container = {
    name: 'shotlist',
    image: 'node:24',
    workingDir: '/repository',
    command: ['npx', '--no-install', 'shotlist', ...scheduleArguments(facts, '--once')].map(
      literal,
    ),
    env,
    volumeMounts: [
      { name: 'repository', mountPath: '/repository' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
  const trust = trustArguments(facts);
  const command = ['npx', '--no-install', 'shotlist', ...(trust ?? [])].map(literal);
  const before =
    trust === undefined ? {} : { initContainers: [{ ...container, name: 'trust', command }] };
  const jobs = times.map(({ suffix, schedule: cron, timeZone }) => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: `${name}${suffix}` },
    spec: {
      schedule: cron,
      timeZone,
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: 3600,
      jobTemplate: {
        spec: {
          backoffLimit: 2,
          template: {
            spec: {
              restartPolicy: 'Never',
              terminationGracePeriodSeconds: 30,
              securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
              ...before,
              containers: [container],
              volumes: [
                { name: 'repository', persistentVolumeClaim: { claimName: name } },
                { name: 'tmp', emptyDir: {} },
              ],
            },
          },
        },
      },
    },
  }));
  const secrets = env.flatMap((one) => ('valueFrom' in one ? [one.name] : []));
  return `# ${madeBy(facts, 'kubernetes')}
#
# Before you apply it:
# - A PersistentVolumeClaim "${name}" that holds a clone of the repository with its node_modules.
${secrets.length === 0 ? '' : `# - A Secret "${name}" with the keys ${secrets.join(', ')}.\n`}# The pipeline is due: ${inWords(schedule)}. A start at which nothing is due ends at once.
${jobs.map((job) => stringify(job, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n')}`;
}

/** Kubernetes replaces `$(NAME)` in commands and values. */
const literal = (text: string): string => text.replaceAll('$', '$$$$');

/** A DNS label: lower-case letters, digits and "-", short enough for what Kubernetes adds. */
const label = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 36);
