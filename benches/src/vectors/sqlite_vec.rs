//! sqlite-vec: an exact scan of all rows, in SQLite.
#![expect(unsafe_code, reason = "SQLite registers an extension as a C function")]

use anyhow::Result;
use rusqlite::ffi::sqlite3_auto_extension;
use rusqlite::{Connection, params};

pub struct Index(Connection);

impl Index {
    pub fn of(rows: &[Vec<f32>]) -> Result<Index> {
        // SAFETY: the crate declares SQLite's extension entry point with another type; its README casts it the same way.
        unsafe {
            let entry = sqlite_vec::sqlite3_vec_init as *const ();
            sqlite3_auto_extension(Some(std::mem::transmute::<
                *const (),
                unsafe extern "C" fn(
                    *mut rusqlite::ffi::sqlite3,
                    *mut *mut std::ffi::c_char,
                    *const rusqlite::ffi::sqlite3_api_routines,
                ) -> std::ffi::c_int,
            >(entry)));
        }
        let connection = Connection::open_in_memory()?;
        let width = rows.first().map_or(1, Vec::len);
        connection.execute_batch(&format!(
            "CREATE VIRTUAL TABLE rows USING vec0(vector float[{width}] distance_metric=cosine); BEGIN"
        ))?;
        let mut insert = connection.prepare("INSERT INTO rows(rowid, vector) VALUES (?1, ?2)")?;
        for (id, row) in (0i64..).zip(rows) {
            insert.execute(params![id, bytes(row)])?;
        }
        drop(insert);
        connection.execute_batch("COMMIT")?;
        Ok(Index(connection))
    }

    pub fn search(&self, query: &[f32], limit: usize) -> Result<Vec<u32>> {
        let sql = format!("SELECT rowid FROM rows WHERE vector MATCH ?1 ORDER BY distance LIMIT {limit}");
        let mut statement = self.0.prepare_cached(&sql)?;
        let found = statement.query_map([bytes(query)], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}

fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}
