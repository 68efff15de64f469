/**
 * Rules of `coding-agent` on what cannot be undone: files, disks, permissions, the machine. Neighbours:
 * `preset-rule.ts` has the form.
 */
import {
  all,
  any,
  arg,
  command,
  file,
  flagged,
  glob,
  has,
  named,
  not,
  re,
  type PresetRule,
} from './preset-rule.ts'

/** A root, a home, a folder right below the root, `.` and `*`: whatever stands in them. */
export const BROAD =
  String.raw`^(/+|~[^/]*/?|\$\{?(HOME|PWD|OLDPWD|USERPROFILE)\}?/?` +
  String.raw`|/(home|Users)/[^/]+/?|/[A-Za-z][\w.-]*/?|\.{0,2}/?|(\.\./)+\.{0,2}` +
  String.raw`|(?i:[a-z]:/?|[a-z]:/(windows|users|program files[^/]*)(/[^/]*)?)` +
  String.raw`)(/?(\*+|\.\*|\.\[!\.\]\*|\{.*\}))*/?$`

/** Below these, nothing is an agent's. */
const SYSTEM = String.raw`^/(bin|boot|dev|etc|lib|lib32|lib64|proc|sbin|sys|usr|System|Library|Applications)/`

const SCRATCH = String.raw`^(/tmp|/var/tmp|/private/tmp|/var/folders)/.+`

const DELETERS =
  'rm rmdir unlink shred srm rimraf del-cli trash trash-put wipe del erase rd remove-item ri'

const PERMISSIONS = 'chmod chown chgrp chattr setfacl icacls takeown xattr'

const isRecursive = any(flagged('-r -R --recursive -recurse'), has('-Recurse -recurse /s /S /T /t'))

/** The workspace itself, all in it, or a folder around it. */
const isWorkspace = all(
  'files.workspace != ""',
  any('files.workspace.isUnder(f)', 'f == files.workspace + "/*"', 'f == files.workspace + "/.*"'),
)

export const DESTRUCTION: readonly PresetRule[] = [
  {
    name: 'delete-broad',
    careful: 'deny',
    strict: 'deny',
    when: any(
      file('deleted', any(re('f', BROAD), re('f', SYSTEM), isWorkspace)),
      command(all(named(DELETERS), `c.paths.exists(f, ${any(re('f', BROAD), re('f', SYSTEM))})`)),
    ),
    reason: 'This would delete far more than one thing: a root, a home or the whole workspace.',
    instead: 'Delete single files or folders by their names, inside the workspace.',
  },
  {
    name: 'delete-unknown',
    careful: 'ask',
    strict: 'deny',
    when: any(
      command(
        all(
          named(DELETERS),
          any(isRecursive, named('shred')),
          `c.paths.exists(f, ${re('f', '[$`]')})`,
        ),
      ),
      command(all(named('xargs parallel'), has(DELETERS))),
      command(all(named('rsync'), flagged('--remove-source-files'))),
      command(all(named('find fd'), any(has('-delete'), has('rm shred unlink')))),
      // A program that we do not know to run its words, and they would delete.
      command(
        all(
          not(named('echo printf grep rg git gh man npm yarn pnpm')),
          any(
            all(has('rm'), arg('^-(rf|fr|Rf|fR|r|R)$')),
            arg(String.raw`(^|[\s;&|!])rm\s+-[A-Za-z]*[rR]`),
          ),
        ),
      ),
    ),
    reason: 'What this deletes is only known when it runs.',
    instead: 'Write the paths out.',
  },
  {
    name: 'delete-outside',
    careful: 'ask',
    strict: 'deny',
    when: file(
      'deleted',
      any(all('f in files.outside', not(re('f', SCRATCH))), glob('f', '**/.git')),
    ),
    reason: 'This deletes outside of the workspace, or the history of a repository.',
  },
  {
    name: 'disk',
    careful: 'deny',
    strict: 'deny',
    when: any(
      file(
        'written',
        re(
          'f',
          String.raw`^/dev/(sd|hd|vd|xvd|nvme|disk|rdisk|mmcblk|mapper/|dm-|loop|md\d|mem|kmem|port)`,
        ),
      ),
      command(
        any(
          named(
            'fdisk sfdisk cfdisk gdisk sgdisk parted wipefs blkdiscard diskpart badblocks mkswap lvremove vgremove pvremove format-volume clear-disk',
          ),
          re('c.name', '^mkfs|^newfs|^mke2fs'),
          all(named('dd'), arg('^of=/dev/[^nf]')),
          all(named('hdparm'), arg('^--security-erase')),
          all(named('diskutil'), arg('(?i)^(erase|partition|zero|random|secureerase|delete)')),
          all(named('cryptsetup'), arg('(?i)^(luksformat|erase|luksremovekey|lukskillslot)$')),
          all(named('zpool zfs'), has('destroy')),
        ),
      ),
    ),
    reason: 'This writes to a disk itself, beside all files.',
  },
  {
    name: 'fork-bomb',
    careful: 'deny',
    strict: 'deny',
    when: re(
      'shell.text',
      String.raw`\(\)\s*\{[^}]*\|[^}]*&[^}]*\}|fork\s*(\(\))?\s+while\s+fork|loop\s*\{\s*fork` +
        String.raw`|while\s*(True|1|\(1\)|\(true\))\s*:?\s*\{?\s*(os\.)?fork|\$0\s*[&|]\s*\$0|%0\s*\|\s*%0`,
    ),
    reason: 'This starts itself again and again until the machine stands still.',
  },
  {
    name: 'permissions-broad',
    careful: 'deny',
    strict: 'deny',
    when: command(
      all(
        named(PERMISSIONS),
        isRecursive,
        `c.paths.exists(f, ${all(any(re('f', BROAD), re('f', SYSTEM)), re('f', '[^.]'), 'f != files.workspace', not(re('f', '^[+-]?[0-7]{3,4}$')))})`,
      ),
    ),
    reason: 'This changes the permissions of a whole system or home.',
  },
  {
    name: 'permissions',
    careful: 'ask',
    strict: 'deny',
    when: command(
      all(
        named(PERMISSIONS),
        any(
          `c.paths.exists(f, ${re('f', SYSTEM)})`,
          arg(String.raw`^([ugoa]*[+=][rwxt]*s[rwxt]*|[2467]\d{3})$`),
          all(isRecursive, arg(String.raw`^(0?777|a[+=]rwx|ugo[+=]rwx|[+=]rwx|0?666|0?000)$`)),
        ),
      ),
    ),
    reason: 'This opens files to everybody, or lets a program run as somebody else.',
  },
  {
    name: 'machine',
    careful: 'deny',
    strict: 'deny',
    when: any(
      command(
        any(
          named(
            'shutdown reboot halt poweroff telinit killall5 insmod rmmod modprobe kexec stop-computer restart-computer',
          ),
          all(named('init'), has('0 1 6')),
          all(
            named('systemctl'),
            has('poweroff reboot halt kexec rescue emergency isolate suspend hibernate'),
          ),
          all(named('kill'), has('-1'), 'c.args.size() > 1'),
          all(named('pkill killall'), any(flagged('-u -U'), arg(String.raw`^\.[*+]?$`))),
          all(named('sysctl'), any(flagged('-w --write'), arg('^[a-z0-9._-]+=')), not(has('-n'))),
        ),
      ),
      file('written', re('f', '^/proc/|^/sys/')),
    ),
    reason: 'This stops or reconfigures the machine itself.',
  },
]
