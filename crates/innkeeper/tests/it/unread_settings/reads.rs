//! Finds the fields of settings structs, and the code that reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprField, FnArg, ImplItemFn, Item, ItemFn, ItemImpl, ItemMod, Local, Macro,
    Member, Pat, PatStruct, Type,
};

/// A field of a struct in the `config` folder.
pub(super) struct ConfigField {
    pub(super) owner: String,
    pub(super) name: String,
    /// The names in front of its documentation.
    pub(super) settings: Vec<String>,
    /// It holds another struct of settings, whose fields are listed themselves.
    pub(super) is_section: bool,
}

/// Returns the fields of the settings and those that are read, as pairs of struct and field.
pub(super) fn find_reads(
    config: &[PathBuf],
    code: &[PathBuf],
) -> (Vec<ConfigField>, BTreeSet<(String, String)>) {
    let parse = |path: &PathBuf| syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap();
    let config: Vec<syn::File> = config.iter().map(parse).collect();
    let mut finder = ReadFinder {
        structs: structs(&config),
        ..ReadFinder::default()
    };
    finder.find_holders(&config);
    for file in &config {
        finder.in_config = true;
        finder.visit_file(file);
    }
    for file in code.iter().map(parse) {
        finder.in_config = false;
        finder.visit_file(&file);
    }
    (fields(&config, &finder.structs), finder.reads)
}

/// Returns the structs of settings with their fields: those that `Config` has in it, at any depth.
fn structs(config: &[syn::File]) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, Vec<(String, BTreeSet<String>)>> = BTreeMap::new();
    for item in config.iter().flat_map(|file| &file.items) {
        if let Item::Struct(item) = item {
            let fields = item.fields.iter().filter_map(|field| {
                Some((field.ident.as_ref()?.to_string(), type_names(&field.ty)))
            });
            all.insert(item.ident.to_string(), fields.collect());
        }
    }
    let mut reached = BTreeMap::new();
    let mut next = vec!["Config".to_owned()];
    while let Some(name) = next.pop() {
        if let Some(fields) = all.remove(&name) {
            next.extend(fields.iter().flat_map(|(_, types)| types.clone()));
            // A value for each kind of mail is read through its methods.
            if name != "PerMessage" {
                reached.insert(name, fields.into_iter().map(|(name, _)| name).collect());
            }
        }
    }
    reached
}

fn fields(config: &[syn::File], structs: &BTreeMap<String, BTreeSet<String>>) -> Vec<ConfigField> {
    let mut found = Vec::new();
    for item in config.iter().flat_map(|file| &file.items) {
        let Item::Struct(item) = item else { continue };
        let owner = item.ident.to_string();
        if !structs.contains_key(&owner) {
            continue;
        }
        for field in &item.fields {
            let Some(name) = &field.ident else { continue };
            found.push(ConfigField {
                owner: owner.clone(),
                name: name.to_string(),
                settings: setting_names(&field.attrs),
                is_section: type_names(&field.ty)
                    .iter()
                    .any(|name| structs.contains_key(name)),
            });
        }
    }
    found
}

/// Returns the setting in front of a documentation, such as `PORT` in "`PORT`, default 8081".
fn setting_names(attributes: &[Attribute]) -> Vec<String> {
    let mut docs = attributes.iter().filter_map(|attribute| {
        let pair = attribute.meta.require_name_value().ok()?;
        match &pair.value {
            Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        }
    });
    let first = docs.next().unwrap_or_default();
    let Some(name) = first
        .trim()
        .strip_prefix('`')
        .and_then(|rest| rest.split_once('`'))
    else {
        return Vec::new();
    };
    // A section names all of its settings at once.
    if name.0.contains('*') {
        Vec::new()
    } else {
        vec![name.0.to_owned()]
    }
}

/// Returns all names in a type.
fn type_names(ty: &Type) -> BTreeSet<String> {
    #[derive(Default)]
    struct Names(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_ident(&mut self, ident: &'ast syn::Ident) {
            self.0.insert(ident.to_string());
        }
    }
    let mut names = Names::default();
    names.visit_type(ty);
    names.0
}

#[derive(Default)]
struct ReadFinder {
    /// The settings structs and their fields.
    structs: BTreeMap<String, BTreeSet<String>>,
    /// The names of fields and variables that hold a settings struct.
    holders: BTreeMap<String, String>,
    /// The parameters and variables of the current function that hold a settings struct.
    variables: Vec<(String, String)>,
    /// The struct whose methods are visited.
    owner: Option<String>,
    in_config: bool,
    reads: BTreeSet<(String, String)>,
}

impl ReadFinder {
    fn find_holders(&mut self, config: &[syn::File]) {
        self.holders
            .insert("config".to_owned(), "Config".to_owned());
        for item in config.iter().flat_map(|file| &file.items) {
            let Item::Struct(item) = item else { continue };
            for field in &item.fields {
                let (Some(name), Some(held)) = (&field.ident, self.struct_in(&field.ty)) else {
                    continue;
                };
                let name = name.to_string();
                // The elements of a list or map are in variables of the singular.
                let singular = name.trim_end_matches('s').to_owned();
                self.holders.insert(singular, held.clone());
                self.holders.insert(name, held);
            }
        }
    }

    fn struct_in(&self, ty: &Type) -> Option<String> {
        type_names(ty)
            .into_iter()
            .find(|name| self.structs.contains_key(name))
    }

    /// Returns the settings struct that an expression evaluates to.
    fn struct_of(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Reference(inner) => self.struct_of(&inner.expr),
            Expr::Paren(inner) => self.struct_of(&inner.expr),
            Expr::MethodCall(call) if call.args.is_empty() => self.struct_of(&call.receiver),
            Expr::Field(ExprField {
                member: Member::Named(name),
                ..
            }) => self.holders.get(&name.to_string()).cloned(),
            Expr::Path(path) => self.struct_of_name(&path.path.get_ident()?.to_string()),
            _ => None,
        }
    }

    fn struct_of_name(&self, name: &str) -> Option<String> {
        if name == "self" {
            return self.owner.clone();
        }
        let mut variables = self.variables.iter().rev();
        let variable = variables.find(|(variable, _)| variable == name);
        variable
            .map(|(_, held)| held)
            .or_else(|| self.holders.get(name))
            .cloned()
    }

    fn note(&mut self, owner: String, field: &str) {
        if self
            .structs
            .get(&owner)
            .is_some_and(|fields| fields.contains(field))
        {
            self.reads.insert((owner, field.to_owned()));
        }
    }

    fn enter(&mut self, inputs: impl Iterator<Item = FnArg>) {
        for input in inputs {
            if let FnArg::Typed(input) = &input
                && let Pat::Ident(name) = &*input.pat
                && let Some(held) = self.struct_in(&input.ty)
            {
                self.variables.push((name.ident.to_string(), held));
            }
        }
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg");
        is_cfg
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for ReadFinder {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if is_test(&item.attrs) {
            return;
        }
        let outer = self.owner.take();
        self.owner = self.struct_in(&item.self_ty);
        visit::visit_item_impl(self, item);
        self.owner = outer;
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        // Functions of the `config` folder fill the structs; only methods of the structs read them.
        if self.in_config {
            return;
        }
        let outer = self.variables.len();
        self.enter(item.sig.inputs.iter().cloned());
        visit::visit_item_fn(self, item);
        self.variables.truncate(outer);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if self.in_config && item.sig.receiver().is_none() {
            return;
        }
        let outer = self.variables.len();
        self.enter(item.sig.inputs.iter().cloned());
        visit::visit_impl_item_fn(self, item);
        self.variables.truncate(outer);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        visit::visit_local(self, local);
        if let Pat::Ident(name) = &local.pat
            && let Some(init) = &local.init
            && let Some(held) = self.struct_of(&init.expr)
        {
            self.variables.push((name.ident.to_string(), held));
        }
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        // A field that is set is not read.
        if let Expr::Field(target) = &*assign.left {
            self.visit_expr(&target.base);
        } else {
            self.visit_expr(&assign.left);
        }
        self.visit_expr(&assign.right);
    }

    fn visit_expr_field(&mut self, field: &'ast ExprField) {
        if let Member::Named(name) = &field.member
            && let Some(owner) = self.struct_of(&field.base)
        {
            self.note(owner, &name.to_string());
        }
        visit::visit_expr_field(self, field);
    }

    fn visit_pat_struct(&mut self, pattern: &'ast PatStruct) {
        if let Some(name) = pattern.path.segments.last() {
            let owner = name.ident.to_string();
            for field in &pattern.fields {
                if let Member::Named(name) = &field.member {
                    self.note(owner.clone(), &name.to_string());
                }
            }
        }
        visit::visit_pat_struct(self, pattern);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        // The arguments of a macro are tokens: `a.b` in them is an access.
        let text = item.tokens.to_string();
        let separate = |ch: char| !(ch.is_alphanumeric() || matches!(ch, '_' | '.' | ' '));
        for path in text.split(separate) {
            let names: Vec<&str> = path.split('.').map(str::trim).collect();
            for pair in names.windows(2) {
                if let [holder, field] = pair
                    && let Some(owner) = self.struct_of_name(holder)
                {
                    self.note(owner, field);
                }
            }
        }
        visit::visit_macro(self, item);
    }
}
