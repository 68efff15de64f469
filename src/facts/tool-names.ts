/**
 * What tools are called, by client → what kind of thing they do. Neighbours: `tools.ts`. Names are compared without
 * case, lines and the name of the server that a tool comes from: `mcp__fs__write_file` is `writefile`. To teach it
 * a client, add its names.
 */
export type ToolKind =
  | 'shell'
  | 'powershell'
  /** A program in some language. */
  | 'code'
  /** `command: view | create | str_replace | …` of Anthropic's editor and its like. */
  | 'editor'
  | 'patch'
  | 'read'
  | 'write'
  | 'delete'
  | 'move'
  | 'copy'
  /** Nothing that runs a command or touches a file, whatever its arguments look like. */
  | 'none'

const NAMES: Readonly<Record<ToolKind, string>> = {
  shell:
    'bash shell sh zsh terminal exec execcommand executecommand runcommand runshellcommand shellcommand runterminalcmd ' +
    'runterminalcommand runinterminal localshell containerexec executebash bashtool executeshell executeshellcommand runbash ' +
    'runbashcommand runshell cmd command shelltool startprocess terminalcreate createterminal processstart unifiedexec monitor ' +
    'writestdin sendinput shellexec execbash systemrun runscript shellexecute terminalexecute runinshell runprocess',
  powershell: 'powershell pwsh powershelltool runpowershell',
  code: 'python pythonrepl ipython executepython runpython executecode runcode codeexecution javascript nodejs jsrepl runjs runjavascript codeinterpreter executejavascript',
  editor:
    'strreplaceeditor strreplacebasededittool texteditor strreplacebasededit memory editor anthropictexteditor',
  patch: 'applypatch patch applydiff',
  read:
    'read readfile view viewfile viewimage readtextfile readmediafile readmultiplefiles openfile readmanyfiles ls list listfiles ' +
    'listdirectory listdir directorytree glob grep search searchfiles searchfilecontent filesearch codebasesearch listdirectorywithsizes ' +
    'getfileinfo readlints findfiles readnotebook notebookread grepsearch find searchtext',
  write:
    'write writefile createfile filewrite savefile newfile createorupdatefile writetofile overwritefile edit multiedit editfile ' +
    'replace replaceinfile strreplace searchreplace searchandreplace insert inserttext insertcontent notebookedit editnotebook ' +
    'fileedit updatefile appendfile appendtofile createdirectory makedirectory mkdir modifyfile edittextfile writefiles hashlineedit ' +
    'replacefilecontent multireplacefilecontent',
  delete:
    'deletefile removefile delete remove unlink rmdir rm deletedirectory removedirectory trash deletepath removepath',
  move: 'movefile move rename renamefile mv movepath movedirectory',
  copy: 'copyfile copy cp copypath copydirectory',
  none: 'bashoutput killshell killbash taskoutput taskstop todowrite todoread task agent websearch webfetch fetch skill askuserquestion toolsearch wait updateplan plan think',
}

const KINDS: ReadonlyMap<string, ToolKind> = new Map(
  (Object.entries(NAMES) as readonly (readonly [ToolKind, string])[]).flatMap(([kind, names]) =>
    names.split(' ').map((name): readonly [string, ToolKind] => [name, kind]),
  ),
)

/** Names and keys without case and joints: `filePath`, `file_path`, `FilePath`. */
export const toKey = (name: string): string => name.replaceAll(/[_\-.\s]/g, '').toLowerCase()

/** `undefined` for tools that are not known by name. */
export function kindOf(name: string): ToolKind | undefined {
  const short = name.slice(0, 256)
  const whole = KINDS.get(toKey(short))
  if (whole !== undefined) return whole
  const last = short.split(/__|[./:]/).at(-1) ?? short
  return last === short ? undefined : KINDS.get(toKey(last))
}

/** What a tool that is not known is about, by the words in its name. */
export function guessKind(name: string): ToolKind | undefined {
  const words = name
    .slice(0, 256)
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
  const has = (...those: readonly string[]): boolean => words.some((word) => those.includes(word))
  if (has('delete', 'remove', 'unlink', 'trash', 'rm', 'erase')) return 'delete'
  if (has('move', 'rename')) return 'move'
  if (has('copy', 'duplicate')) return 'copy'
  if (
    has(
      'write',
      'create',
      'edit',
      'update',
      'replace',
      'save',
      'append',
      'insert',
      'modify',
      'put',
      'overwrite',
      'patch',
    )
  )
    return 'write'
  if (has('read', 'view', 'open', 'list', 'get', 'show', 'cat', 'search', 'find', 'stat'))
    return 'read'
  return undefined
}
