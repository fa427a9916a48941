//! The public interface of the crate `simurgh` is what `docs/rust-api.txt` says: a change of it is seen as one.
//!
//! The list is made from the sources: what `src/lib.rs` exports, with its methods, fields, variants and traits. It does
//! not have what macros implement. `SIMURGH_WRITE=1 cargo test --test all public_api` writes it anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::{ImplItem, Item, TraitItem, Type, UseTree, Visibility};

const LIST: &str = "docs/rust-api.txt";

/// Where the crates whose items are exported have them.
const PLACES: &[(&str, &[&str])] = &[
    ("simurgh_heap", &["crates/heap/src"]),
    ("simurgh_mpi", &["crates/base/src"]),
    ("simurgh_tool", &["crates/tool/src"]),
    ("simurgh_typed", &["crates/typed/src", "crates/mpi/src/window"]),
];

/// The public items by name, of which the lines tell.
struct Listing {
    names: BTreeSet<String>,
    lines: BTreeSet<String>,
}

impl Listing {
    fn read(&mut self, folder: &Path) {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
            .expect("the folder is there")
            .map(|entry| entry.expect("the entry is there").path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                self.read(&path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("the source can be read");
                let file = syn::parse_file(&text).expect("the source is Rust");
                file.items.iter().for_each(|item| self.item(item));
            }
        }
    }

    fn add(&mut self, words: &[&dyn ToTokens]) {
        let tokens = words.iter().map(|word| word.to_token_stream().to_string());
        self.lines.insert(tidy(&tokens.collect::<Vec<_>>().join(" ")));
    }

    fn has(&self, visibility: &Visibility, name: &syn::Ident) -> bool {
        matches!(visibility, Visibility::Public(_)) && self.names.contains(&name.to_string())
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Fn(item) if self.has(&item.vis, &item.sig.ident) => self.add(&[&item.sig]),
            Item::Struct(item) if self.has(&item.vis, &item.ident) => {
                self.add(&[&item.struct_token, &item.ident, &item.generics]);
                for field in &item.fields {
                    if let (Visibility::Public(_), Some(name)) = (&field.vis, &field.ident) {
                        self.add(&[&item.struct_token, &item.ident, &name, &field.ty]);
                    }
                }
            }
            Item::Enum(item) if self.has(&item.vis, &item.ident) => {
                self.add(&[&item.enum_token, &item.ident, &item.generics]);
                for variant in &item.variants {
                    let mut fields = variant.fields.clone();
                    fields.iter_mut().for_each(|field| field.attrs.clear());
                    self.add(&[&item.enum_token, &item.ident, &variant.ident, &fields]);
                }
            }
            Item::Trait(item) if self.has(&item.vis, &item.ident) => {
                let bounds = &item.supertraits;
                self.add(&[
                    &item.unsafety,
                    &item.trait_token,
                    &item.ident,
                    &item.generics,
                    bounds,
                ]);
                for part in item.items.iter().filter(|part| !is_hidden(part)) {
                    let part: &dyn ToTokens = match part {
                        TraitItem::Fn(function) => &function.sig,
                        TraitItem::Type(kind) => &kind.ident,
                        TraitItem::Const(constant) => &constant.ident,
                        other => other,
                    };
                    self.add(&[&item.trait_token, &item.ident, part]);
                }
            }
            Item::Type(item) if self.has(&item.vis, &item.ident) => {
                self.add(&[
                    &item.type_token,
                    &item.ident,
                    &item.generics,
                    &item.eq_token,
                    &item.ty,
                ]);
            }
            Item::Impl(item) => self.implementation(item),
            _ => {}
        }
    }

    fn implementation(&mut self, item: &syn::ItemImpl) {
        let Type::Path(path) = &*item.self_ty else { return };
        let name = path.path.segments.last().map(|segment| segment.ident.to_string());
        if !name.is_some_and(|name| self.names.contains(&name)) {
            return;
        }
        if let Some((_, kind, _)) = &item.trait_ {
            return self.add(&[&item.impl_token, kind, &item.self_ty]);
        }
        for part in &item.items {
            if let ImplItem::Fn(function) = part
                && let Visibility::Public(_) = function.vis
            {
                self.add(&[&item.self_ty, &function.sig]);
            }
        }
    }
}

/// Whether the documentation does not show a part of a trait.
fn is_hidden(part: &TraitItem) -> bool {
    let text = part.to_token_stream().to_string();
    text.starts_with("# [doc (hidden)]")
}

/// Tokens without the spaces that nobody writes.
fn tidy(tokens: &str) -> String {
    let mut text = tokens.split_whitespace().collect::<Vec<_>>().join(" ");
    for (from, to) in [
        (" :: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        ("< ", "<"),
        (" <", "<"),
        ("& ", "&"),
        (" (", "("),
        (" ,", ","),
        (" :", ":"),
        ("? ", "?"),
        ("' ", "'"),
        (",)", ")"),
        (", >", ">"),
        ("- >", "->"),
        ("->", " -> "),
        ("  ", " "),
    ] {
        text = text.replace(from, to);
    }
    text.trim().to_owned()
}

/// The names that a `use` exports, by the crate or module that they come from.
fn exports(tree: &UseTree, found: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => exports(&path.tree, found),
        UseTree::Name(name) => found.push(name.ident.to_string()),
        UseTree::Rename(rename) => found.push(rename.ident.to_string()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| exports(tree, found)),
        UseTree::Glob(_) => panic!("lib.rs names what it exports"),
    }
}

fn list(root: &Path) -> String {
    let library = std::fs::read_to_string(root.join("src/lib.rs")).expect("the library has a root");
    let library = syn::parse_file(&library).expect("the source is Rust");
    let mut lines = BTreeSet::new();
    let mut own = BTreeSet::new();
    for item in &library.items {
        match item {
            Item::Use(item) if matches!(item.vis, Visibility::Public(_)) => {
                let UseTree::Path(path) = &item.tree else { continue };
                let (from, mut names) = (path.ident.to_string(), Vec::new());
                exports(&path.tree, &mut names);
                if from == "simurgh_derive" {
                    lines.extend(names.iter().map(|name| format!("derive {name}")));
                } else if let Some((_, folders)) = PLACES.iter().find(|(name, _)| *name == from) {
                    lines.extend(of_folders(root, folders, names));
                } else {
                    own.extend(names);
                }
            }
            Item::Fn(item) if matches!(item.vis, Visibility::Public(_)) => {
                own.insert(item.sig.ident.to_string());
            }
            _ => {}
        }
    }
    lines.extend(of_folders(root, &["src"], own));
    lines.into_iter().map(|line| line + "\n").collect()
}

fn of_folders(root: &Path, folders: &[&str], names: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    let mut listing = Listing {
        names: names.into_iter().collect(),
        lines: BTreeSet::new(),
    };
    folders.iter().for_each(|folder| listing.read(&root.join(folder)));
    listing.lines
}

#[test]
fn the_interface_is_the_one_that_is_written_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (file, found) = (root.join(LIST), list(root));
    if std::env::var_os("SIMURGH_WRITE").is_some() {
        std::fs::write(&file, &found).expect("the list can be written");
        return;
    }
    let written = std::fs::read_to_string(&file).expect("the list is there");
    let (found, written): (BTreeSet<_>, BTreeSet<_>) = (found.lines().collect(), written.lines().collect());
    let new: Vec<_> = found.difference(&written).collect();
    let gone: Vec<_> = written.difference(&found).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "{LIST} is not the interface any more\nnew: {new:#?}\ngone: {gone:#?}\n\
         If that is meant, note it in CHANGELOG.md, and write the list anew: \
         SIMURGH_WRITE=1 cargo test --test all public_api"
    );
}
