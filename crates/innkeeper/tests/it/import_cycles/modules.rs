//! The modules of a crate as its source files declare them, and what a path means in each of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::uses;
use syn::{Attribute, Item, ItemMod, ItemUse, Meta, UseTree};

/// A position in [`Crate::modules`].
type ModuleId = usize;

/// A crate: its modules, the first of which is the root.
pub(super) struct Crate {
    modules: Vec<Module>,
    /// Files that define macros with `macro_rules!`, by the name of the macro with its `!`.
    macros: BTreeMap<String, String>,
}

#[derive(Default)]
struct Module {
    parent: ModuleId,
    /// Relative to the folder of the crate's sources.
    file: String,
    /// The file has child modules in files of their own.
    has_children: bool,
    children: BTreeMap<String, ModuleId>,
    /// Types, functions, constants and traits that are defined here.
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Every path that code outside of tests names, `use` lines left out.
    paths: Vec<Vec<String>>,
}

/// One name of a `use` line.
struct Import {
    /// `None` for a glob.
    name: Option<String>,
    path: Vec<String>,
    is_public: bool,
}

/// What a path leads to.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Module(ModuleId),
    /// An item that the module defines.
    Item(ModuleId),
}

impl Crate {
    /// Reads the crate whose root is `lib.rs` or `main.rs` in `folder`.
    pub(super) fn read(folder: &Path) -> Self {
        let root = ["lib.rs", "main.rs"].map(|name| folder.join(name));
        let root = root.iter().find(|path| path.is_file()).unwrap();
        let mut krate = Self {
            modules: Vec::new(),
            macros: BTreeMap::new(),
        };
        krate.read_file(folder, root, folder, 0);
        krate
    }

    /// The source files, tests left out.
    pub(super) fn files(&self) -> BTreeSet<String> {
        let files = self.modules.iter().map(|module| module.file.clone());
        files.collect()
    }

    /// Reads the module in `path`, whose child modules are files in `children`.
    fn read_file(
        &mut self,
        folder: &Path,
        path: &Path,
        children: &Path,
        parent: ModuleId,
    ) -> ModuleId {
        let text = fs::read_to_string(path).unwrap();
        let source =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file = path.strip_prefix(folder).unwrap().display().to_string();
        self.read_items(source.items, (folder, children), (file, parent))
    }

    fn read_items(
        &mut self,
        items: Vec<Item>,
        (folder, children): (&Path, &Path),
        (file, parent): (String, ModuleId),
    ) -> ModuleId {
        let id = self.modules.len();
        self.modules.push(Module {
            parent,
            file: file.clone(),
            ..Module::default()
        });
        for item in items {
            if uses::is_for_tests(uses::attributes_of(&item)) {
                continue;
            }
            match &item {
                Item::Mod(module) => {
                    let child = self.read_module(module, (folder, children), (&file, id));
                    self.modules[id]
                        .children
                        .insert(module.ident.to_string(), child);
                }
                Item::Use(line) => self.modules[id].add_imports(line),
                Item::Macro(definition) => {
                    if let Some(name) = &definition.ident {
                        self.macros.insert(format!("{name}!"), file.clone());
                    } else {
                        let names = uses::names_in_call(definition);
                        self.modules[id].items.extend(names);
                    }
                }
                _ => self.modules[id].items.extend(uses::name_of(&item)),
            }
            self.modules[id].paths.extend(uses::paths_of(&item));
        }
        id
    }

    fn read_module(
        &mut self,
        module: &ItemMod,
        (folder, children): (&Path, &Path),
        (file, parent): (&str, ModuleId),
    ) -> ModuleId {
        let name = module.ident.to_string();
        if let Some((_, items)) = &module.content {
            let inside = children.join(&name);
            return self.read_items(items.clone(), (folder, &inside), (file.to_owned(), parent));
        }
        self.modules[parent].has_children = true;
        let path = path_attribute(&module.attrs).map_or_else(
            || {
                let beside = children.join(format!("{name}.rs"));
                if beside.is_file() {
                    beside
                } else {
                    children.join(&name).join("mod.rs")
                }
            },
            |path| children.join(path),
        );
        self.read_file(folder, &path, &children.join(&name), parent)
    }

    /// Pairs of files: the first names an item of the second.
    pub(super) fn imports(&self) -> BTreeSet<(String, String)> {
        let mut edges = BTreeSet::new();
        for (id, module) in self.modules.iter().enumerate() {
            let imported = module
                .imports
                .iter()
                .filter(|import| {
                    import.name.is_some() && !(import.is_public && module.has_children)
                })
                .map(|import| &import.path);
            for path in module.paths.iter().chain(imported) {
                let target = match self.resolve(id, path, 0) {
                    Some(Target::Item(owner)) => Some(&self.modules[owner].file),
                    Some(Target::Module(_)) => None,
                    None => path.last().and_then(|name| self.macros.get(name)),
                };
                edges.extend(
                    target
                        .filter(|&file| *file != module.file)
                        .map(|file| (module.file.clone(), file.clone())),
                );
            }
        }
        edges
    }

    /// What a path means in a module. `depth` ends circles of re-exports.
    fn resolve(&self, id: ModuleId, path: &[String], depth: usize) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        let mut target = match first.as_str() {
            "crate" | "$crate" => Target::Module(0),
            "self" => Target::Module(id),
            "super" => {
                let mut owner = self.modules[id].parent;
                while let Some((next, others)) = rest.split_first()
                    && next == "super"
                {
                    owner = self.modules[owner].parent;
                    rest = others;
                }
                Target::Module(owner)
            }
            name => self.lookup(id, name, depth)?,
        };
        for name in rest {
            let Target::Module(owner) = target else {
                break;
            };
            target = self.lookup(owner, name, depth)?;
            // A module and something that it defines may have the same name where it is exported again.
            if matches!(target, Target::Module(_))
                && let Some(item) = self.reexported(owner, name, depth)
            {
                target = item;
            }
        }
        Some(target)
    }

    /// The item with this name that a `use` line of the module brings in.
    fn reexported(&self, id: ModuleId, name: &str, depth: usize) -> Option<Target> {
        let mut imports = self.modules[id].imports.iter();
        let import = imports.find(|import| import.name.as_deref() == Some(name))?;
        let target = self.resolve(id, &import.path, depth + 1)?;
        matches!(target, Target::Item(_)).then_some(target)
    }

    /// What a name means in a module.
    fn lookup(&self, id: ModuleId, name: &str, depth: usize) -> Option<Target> {
        const MOST_REEXPORTS: usize = 16;
        if depth > MOST_REEXPORTS {
            return None;
        }
        let module = &self.modules[id];
        if module.items.contains(name) {
            return Some(Target::Item(id));
        }
        if let Some(&child) = module.children.get(name) {
            return Some(Target::Module(child));
        }
        let named = |import: &&Import| import.name.as_deref() == Some(name);
        if let Some(import) = module.imports.iter().find(named) {
            return self.resolve(id, &import.path, depth + 1);
        }
        module
            .imports
            .iter()
            .filter(|import| import.name.is_none())
            .find_map(|import| match self.resolve(id, &import.path, depth + 1)? {
                Target::Module(owner) => self.lookup(owner, name, depth + 1),
                Target::Item(_) => None,
            })
    }
}

impl Module {
    fn add_imports(&mut self, line: &ItemUse) {
        let is_public = !matches!(line.vis, syn::Visibility::Inherited);
        self.add_tree(&line.tree, &mut Vec::new(), is_public);
    }

    fn add_tree(&mut self, tree: &UseTree, prefix: &mut Vec<String>, is_public: bool) {
        let mut add = |name: Option<String>, path: Vec<String>| {
            self.imports.push(Import {
                name,
                path,
                is_public,
            });
        };
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.add_tree(&path.tree, prefix, is_public);
                prefix.pop();
            }
            UseTree::Name(name) if name.ident == "self" => {
                add(prefix.last().cloned(), prefix.clone());
            }
            UseTree::Name(name) => {
                let path = prefix.iter().cloned().chain([name.ident.to_string()]);
                add(Some(name.ident.to_string()), path.collect());
            }
            UseTree::Rename(rename) => {
                let own = (rename.ident != "self").then(|| rename.ident.to_string());
                let path = prefix.iter().cloned().chain(own);
                add(Some(rename.rename.to_string()), path.collect());
            }
            UseTree::Glob(_) => add(None, prefix.clone()),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_tree(tree, prefix, is_public);
                }
            }
        }
    }
}

/// The file that `#[path = "…"]` names.
fn path_attribute(attributes: &[Attribute]) -> Option<PathBuf> {
    attributes
        .iter()
        .find_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                syn::Expr::Lit(literal) => match &literal.lit {
                    syn::Lit::Str(text) => Some(PathBuf::from(text.value())),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
}
