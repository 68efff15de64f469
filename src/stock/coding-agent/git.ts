/**
 * Rules of `coding-agent` on work that others share: what git and infrastructure tools throw away. Neighbours:
 * `preset-rule.ts` has the form. Which branch is checked out, no call tells.
 */
import { all, any, arg, command, flagged, has, named, re, type PresetRule } from './preset-rule.ts'

const isForced = any(
  flagged('-f --force --force-with-lease --force-if-includes'),
  arg(String.raw`^\+[^ ]`),
)

/** Words that are no flags: `push origin main` has three. */
const plainWords = 'c.args.filter(a, !a.startsWith("-")).size()'

/** `branches`: those that others work on too; `*` stands for any characters. */
export function gitRules(branches: readonly string[]): readonly PresetRule[] {
  const isShared = toShared(branches)
  return [
    {
      name: 'push-shared',
      careful: 'deny',
      strict: 'deny',
      when: command(
        all(
          named('git'),
          has('push'),
          any(
            flagged('--mirror --prune'),
            all(any(isForced, flagged('-d --delete'), arg('^:[^ ]')), isShared),
          ),
        ),
      ),
      reason: 'This rewrites or deletes a branch that others work on.',
      instead: 'Push to a branch of its own and open a pull request.',
    },
    {
      name: 'push-forced',
      careful: 'ask',
      strict: 'deny',
      when: command(all(named('git'), has('push'), isForced, `${plainWords} < 3`)),
      reason: 'This force-pushes, and does not say which branch.',
      instead: 'Name the remote and a branch that is not shared.',
    },
    {
      name: 'history',
      careful: 'ask',
      strict: 'deny',
      when: command(
        any(
          named('git-filter-repo bfg'),
          all(
            named('git'),
            any(
              all(has('reset'), flagged('--hard')),
              all(has('clean'), flagged('-f --force')),
              all(has('branch'), any(flagged('-D'), all(flagged('-d --delete'), isShared))),
              all(has('checkout restore'), has('. :/ * :/*')),
              all(has('stash'), has('clear drop')),
              all(has('reflog'), has('expire delete')),
              all(has('update-ref'), flagged('-d --delete')),
              all(has('gc'), arg('^--prune')),
              has('filter-branch filter-repo'),
            ),
          ),
        ),
      ),
      reason: 'This throws away work or history that cannot be brought back.',
      instead: 'Commit or stash first, and undo single files.',
    },
    INFRASTRUCTURE,
  ]
}

const INFRASTRUCTURE: PresetRule = {
  name: 'infrastructure',
  careful: 'ask',
  strict: 'deny',
  when: command(
    any(
      all(
        named('terraform tofu pulumi cdk serverless'),
        has('destroy down remove -auto-approve --auto-approve'),
      ),
      all(named('kubectl oc helm'), has('delete drain uninstall')),
      all(named('docker podman'), has('prune')),
      all(
        named('aws gcloud az doctl heroku fly flyctl gh'),
        arg('^(delete|remove|terminate|destroy|purge|rb|rm)(-|:|$)|:destroy$'),
      ),
      named('dropdb dropuser'),
      all(named('mysqladmin'), has('drop')),
      all(named('redis-cli'), arg('(?i)^flush(all|db)$')),
      all(
        named('psql mysql mariadb sqlite3 mongosh mongo clickhouse-client cockroach'),
        re(
          'c.text',
          String.raw`(?i)\b(drop\s+(database|schema|table|user|role)|truncate\s|dropdatabase|delete\s+from\s+[\w."]+\s*(;|$))`,
        ),
      ),
      all(named('npm pnpm yarn cargo gem twine'), has('unpublish yank publish upload push')),
    ),
  ),
  reason: 'This destroys, or publishes, what others depend on.',
}

function toShared(branches: readonly string[]): string {
  const names = branches.map((name) => name.split('*').map(escape).join('[^ ]*'))
  return names.length === 0 ? 'false' : arg(`^[+]?([^ ]*:)?(refs/heads/)?(${names.join('|')})$`)
}

const escape = (text: string): string => text.replaceAll(/[^\w/-]/g, (letter) => `\\${letter}`)

/** Without settings: the usual names. */
export const SHARED_BRANCHES: readonly string[] =
  'main master trunk develop dev production prod staging release release/* HEAD'.split(' ')
